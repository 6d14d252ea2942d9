"""What a model runner notes while it is profiled."""

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner as _Base
else:
    _Base = object


class ProfiledRunner(_Base):
    """Tells the encoder's profile from the decoder's, which follows it in ``profile_run``."""

    _encoder_peak: int | None = None

    def _dummy_run(self, *arguments: Any, **keywords: Any) -> Any:
        """Fulfil ``GPUModelRunner._dummy_run``: the first one comes after the encoder's profile."""
        if self._encoder_peak is None:
            self._encoder_peak = int(torch.npu.max_memory_allocated())
        return super()._dummy_run(*arguments, **keywords)

    def encoder_peak(self) -> int:
        """Return the bytes that were allocated at most until the decoder was first run."""
        return self._encoder_peak or 0
