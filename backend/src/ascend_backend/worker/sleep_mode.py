"""Sleep mode: the memory of weights and KV cache is given back, without an allocator of its own.

CUDA's backend unmaps the pages below tensors. torch can take a tensor's bytes away and give it others in place
(``UntypedStorage.resize_``), on any device. Addresses change: graphs are given up with what they were captured with, and
captured again when all of it is back.

What belongs to no model stays: the stacks of LoRA adapters, outputs of encoders, buffers of the model runner.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch
from vllm.device_allocator.sleep_mode_backend import SleepModeBackend

from ascend_backend.compilation import acl_graphs

if TYPE_CHECKING:
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner

_WEIGHTS = "weights"
_KV_CACHE = "kv_cache"


class NPUSleepModeBackend(SleepModeBackend):
    """Takes the bytes of a model runner's weights and KV caches, and gives them back."""

    def __init__(self, runner: "GPUModelRunner") -> None:
        """Fulfil ``SleepModeBackend.__init__`` for the models and caches of ``runner``."""
        super().__init__()
        self._runner = runner
        #: What was taken, by tag: each storage, its size, and its bytes on the host if they are kept.
        self._taken: dict[str, list[tuple[torch.UntypedStorage, int, torch.UntypedStorage | None]]] = {}
        self._dropped = False

    def suspend(self, level: int = 1) -> None:
        """Fulfil ``SleepModeBackend.suspend``: level 1 keeps the weights on the host, level 2 drops them.

        The weights are those of the model and of the one that drafts for it.
        """
        self._state = "SUSPENDED"
        draft = self._runner.get_draft_model()
        models = [self._runner.model] if draft is None else [self._runner.model, draft]
        weights = [tensor for model in models for tensor in (*model.parameters(), *model.buffers())]
        self._take(_WEIGHTS, weights, keep=level == 1)
        self._take(_KV_CACHE, self._runner.kv_caches, keep=False)
        self._dropped = acl_graphs.drop(self._runner) or self._dropped
        torch.accelerator.empty_cache()

    def resume(self, tags: list[str] | None = None) -> None:
        """Fulfil ``SleepModeBackend.resume``; what was not kept comes back as zeros."""
        self._state = "RESUMING"
        for tag in list(self._taken) if tags is None else tags:
            for storage, size, kept in self._taken.pop(tag, ()):
                storage.resize_(size)
                if kept is None:
                    storage.fill_(0)
                else:
                    storage.copy_(kept)
        self._state = "SUSPENDED" if self._taken else "RUNNING"
        if self._dropped and not self._taken:
            self._dropped = False
            self._runner.capture_model()

    def _take(self, tag: str, tensors: Iterable[torch.Tensor], keep: bool) -> None:
        if tag in self._taken:
            return
        taken = self._taken.setdefault(tag, [])
        for tensor in tensors:
            storage = tensor.untyped_storage()
            # What a model and its draft share is there once, and taken already.
            if (size := storage.nbytes()) == 0:
                continue
            kept = torch.UntypedStorage(size, device="cpu").copy_(storage) if keep else None
            taken.append((storage, size, kept))
            storage.resize_(0)
