"""The schedulers of multimodal models, with the backend's manager of the encoder cache.

They are imported in the engine's process alone, which is where the reset of the caches begins.
"""

from functools import wraps
from typing import TYPE_CHECKING, Any

from vllm.multimodal.encoder_budget import MultiModalBudget
from vllm.v1.core.encoder_cache_manager import EncoderCacheManager
from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.engine.core import EngineCore

from ascend_backend.encoder_cache import bounds
from ascend_backend.encoder_cache.manager import NPUEncoderCacheManager

if TYPE_CHECKING:
    from vllm.config import VllmConfig


def _manager(stock: EncoderCacheManager, config: "VllmConfig") -> EncoderCacheManager:
    """Return the manager to use; one that the user or the kind of model has chosen stays."""
    if type(stock) is not EncoderCacheManager:
        return stock
    largest = 0
    if bounds.max_bytes(config) is not None:
        from vllm.multimodal import MULTIMODAL_REGISTRY

        largest = max(MultiModalBudget(config, MULTIMODAL_REGISTRY).mm_max_toks_per_item.values(), default=0)
    return NPUEncoderCacheManager(stock.cache_size, largest, config)


class NPUScheduler(Scheduler):
    """vLLM's ``Scheduler``."""

    def __init__(self, vllm_config: "VllmConfig", *arguments: Any, **keywords: Any) -> None:
        """Fulfil ``Scheduler.__init__``, and put the backend's manager in the place of vLLM's own."""
        super().__init__(vllm_config, *arguments, **keywords)
        self.encoder_cache_manager = _manager(self.encoder_cache_manager, vllm_config)


class NPUAsyncScheduler(AsyncScheduler):
    """vLLM's ``AsyncScheduler``."""

    def __init__(self, vllm_config: "VllmConfig", *arguments: Any, **keywords: Any) -> None:
        """Fulfil ``AsyncScheduler.__init__``, and put the backend's manager in the place of vLLM's own."""
        super().__init__(vllm_config, *arguments, **keywords)
        self.encoder_cache_manager = _manager(self.encoder_cache_manager, vllm_config)


def _reset_both() -> None:
    """Make the engine's ``reset_mm_cache`` empty the encoder cache too.

    Whoever asks for the multimodal cache to be reset wants the device's memory back. Both halves have to go
    together, the scheduler's and the workers', and nothing but the engine reaches both.
    """
    stock = EngineCore.reset_mm_cache

    @wraps(stock)
    def reset_mm_cache(self: EngineCore) -> None:
        stock(self)
        self.reset_encoder_cache()

    EngineCore.reset_mm_cache = reset_mm_cache  # type: ignore[method-assign]


_reset_both()
