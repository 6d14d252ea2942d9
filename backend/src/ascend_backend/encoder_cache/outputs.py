"""The encoder cache on the device: outputs by the hash of their input."""

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch

from ascend_backend.encoder_cache import bounds

if TYPE_CHECKING:
    from vllm.config import VllmConfig

#: vLLM prints what loggers below its own say.
logger = logging.getLogger("vllm.ascend_backend.encoder_cache")
#: Memory goes back to the device when this part of the bound was dropped.
_SHARE = 4


class EncoderOutputs(dict[str, torch.Tensor]):
    """The dictionary of vLLM's model runners, each output with memory of its own.

    Encoders return the outputs of a batch as parts of one tensor, and one of them that is kept would keep
    all: evicting the others would give nothing back.
    """

    def __init__(self, config: "VllmConfig") -> None:
        """Hold nothing yet; the configuration says how many bytes of a token are counted, and their bound."""
        super().__init__()
        self._token_bytes = bounds.token_bytes(config)
        limit = bounds.max_bytes(config)
        self._bounded = limit is not None
        self._limit = limit or config.scheduler_config.encoder_cache_size * self._token_bytes
        self._dropped = 0

    def __setitem__(self, name: str, output: torch.Tensor) -> None:
        """Keep an output. Raises ValueError if its tokens are larger than the bound in bytes counts them."""
        if output.untyped_storage().nbytes() > output.nbytes:
            output = output.clone()
        if output.nbytes > len(output) * self._token_bytes:
            self._larger(output.nbytes // max(len(output), 1))
        super().__setitem__(name, output)

    def update(self, outputs: Iterable[tuple[str, torch.Tensor]]) -> None:  # type: ignore[override]
        """Keep several outputs (the model runner V2 does)."""
        for name, output in outputs.items() if isinstance(outputs, dict) else outputs:
            self[name] = output

    def pop(self, name: str, *default: torch.Tensor | None) -> torch.Tensor | None:  # type: ignore[override]
        """Drop an output, and note its bytes."""
        output = super().pop(name, *default)
        if output is not None:
            self._dropped += output.nbytes
        return output

    def clear(self) -> None:
        """Drop all outputs, and give their memory back to the device."""
        super().clear()
        self._give_back()

    def give_back(self) -> None:
        """Give memory back to the device once as much was dropped as a quarter of what may be kept.

        What is dropped goes to the allocator, which keeps it for the next output. Asking it for each of them would
        have every step wait for the device.
        """
        if self._dropped * _SHARE >= self._limit:
            self._give_back()

    def _give_back(self) -> None:
        torch.accelerator.empty_cache()
        self._dropped = 0

    def information(self) -> dict[str, int]:
        """Return how many outputs are kept and the bytes that they hold."""
        storages = {output.untyped_storage().data_ptr(): output.untyped_storage().nbytes() for output in self.values()}
        return {"entries": len(self), "bytes": sum(storages.values())}

    def _larger(self, found: int) -> None:
        line = (
            f"an encoder output has {found} bytes a token, not {self._token_bytes}: "
            f"set {bounds.TOKEN_BYTES} in --additional-config to {found}"
        )
        if self._bounded:
            raise ValueError(line)
        logger.warning("the metrics of the encoder cache count too few bytes: %s", line)
        self._token_bytes = found
