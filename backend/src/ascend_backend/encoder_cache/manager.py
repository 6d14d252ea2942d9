"""The encoder cache as the scheduler sees it: bounded, counted, and emptied together with the preprocessing cache."""

import atexit
from typing import TYPE_CHECKING

from vllm import envs
from vllm.v1.core.encoder_cache_manager import EncoderCacheManager

from ascend_backend.encoder_cache import bounds
from ascend_backend.encoder_cache.counts import Counts, Publisher, path

if TYPE_CHECKING:
    from vllm.config import VllmConfig
    from vllm.v1.request import Request


class NPUEncoderCacheManager(EncoderCacheManager):
    """vLLM's manager, with a bound in bytes, and numbers that others can read.

    Entries that no request refers to are evicted by vLLM's rule, oldest first, when room is needed.
    """

    def __init__(self, cache_size: int, largest: int, config: "VllmConfig") -> None:
        """Fulfil ``EncoderCacheManager.__init__`` with a bound in bytes beside ``cache_size`` in tokens.

        Raises ValueError if it has no room for the ``largest`` input, in tokens.
        """
        self._token_bytes = bounds.token_bytes(config)
        self._max_bytes = bounds.max_bytes(config)
        super().__init__(bounds.tokens(cache_size, largest, self._token_bytes, self._max_bytes))
        self._queries = self._hits = self._evictions = 0
        engine = config.parallel_config.data_parallel_index
        self._publisher = Publisher(path(envs.VLLM_RPC_BASE_PATH, config.instance_id, engine))
        atexit.register(self._publisher.close)
        self._publish()

    def check_and_update_cache(self, request: "Request", input_id: int) -> bool:
        """Fulfil ``EncoderCacheManager.check_and_update_cache``; an input of a request hits at most once."""
        known = input_id in self.get_cached_input_ids(request)
        found = super().check_and_update_cache(request, input_id)
        if found and not known:
            self._queries += 1
            self._hits += 1
            self._publish()
        return found

    def can_allocate(
        self, request: "Request", input_id: int, encoder_compute_budget: int, num_embeds_to_schedule: int
    ) -> bool:
        """Fulfil ``EncoderCacheManager.can_allocate``, and count what it evicts."""
        before = len(self.freed)
        possible = super().can_allocate(request, input_id, encoder_compute_budget, num_embeds_to_schedule)
        self._evictions += len(self.freed) - before
        return possible

    def allocate(self, request: "Request", input_id: int) -> None:
        """Fulfil ``EncoderCacheManager.allocate``: the encoder will run."""
        super().allocate(request, input_id)
        self._queries += 1
        self._publish()

    def reset(self) -> None:
        """Fulfil ``EncoderCacheManager.reset``."""
        super().reset()
        self._publish()

    def counts(self) -> Counts:
        """Return the numbers of now."""
        held = self.cache_size - self.num_free_slots
        return Counts(
            entries=len(self.cached),
            tokens=held,
            bytes=held * self._token_bytes,
            budget_tokens=self.cache_size,
            budget_bytes=self._max_bytes or 0,
            queries=self._queries,
            hits=self._hits,
            evictions=self._evictions,
        )

    def _publish(self) -> None:
        self._publisher.publish(self.counts())
