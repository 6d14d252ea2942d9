from like_plugin.blocks import tables


class LikeWorker:
    def load_model(self) -> None:
        self.tables = tables(8, 4096, 2048, [16])
