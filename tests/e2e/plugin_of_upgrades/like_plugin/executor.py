from vllm.v1.executor.abstract import Executor


class LikeExecutor(Executor):
    def _init_executor(self) -> None:
        pass

    def collective_rpc(self, method, timeout=None, args=(), kwargs=None, non_block=False):
        return []

    def check_health(self) -> None:
        pass


def begin(executor: Executor, configs) -> None:
    executor.initialize_from_config(configs)
