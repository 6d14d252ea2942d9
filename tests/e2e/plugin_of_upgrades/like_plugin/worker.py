from vllm.v1.worker.worker_base import WorkerBase

from like_plugin.blocks import tables


class LikeWorker(WorkerBase):
    def load_model(self) -> None:
        self.tables = tables(8, 4096, 2048, [16])

    def compile_or_warm_up_model(self):
        return None
