from vllm.platforms.interface import Platform, PlatformEnum


class LikePlatform(Platform):
    _enum = PlatformEnum.OOT
    device_name = "like"
    device_type = "like"

    @classmethod
    def check_and_update_config(cls, vllm_config):
        vllm_config.parallel_config.worker_cls = "like_plugin.worker.LikeWorker"
