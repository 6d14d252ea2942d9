"""LoRA adapters: products with the adapters' low-rank matrices, for whole batches and under graphs.

Every token has the number of its adapter's slot, or -1, in a tensor that stays at one address. A product is computed for
each slot and kept where the number is that slot's: nothing depends on the lengths of the batch, so that a graph that
was captured once serves whatever adapters its requests have. Rows that pad a batch may have any number.
"""

from typing import Any

import torch
from vllm.lora.punica_wrapper.punica_base import PunicaWrapperBase


class NPUPunicaWrapper(PunicaWrapperBase):
    """vLLM's interface to adapters, in products that torch_npu computes; vLLM's own in plain torch is for eager mode."""

    def __init__(self, max_num_batched_tokens: int, max_batches: int, device: torch.device | str, **kwargs: Any) -> None:
        """Fulfil ``PunicaWrapperBase.__init__``; no token has an adapter yet."""
        super().__init__(max_num_batched_tokens, max_batches, device)
        for numbers in (self._token_lora_indices, self._sampler_indices):
            numbers.fill_(-1)

    def _update_prefill_metadata(self, token_lora_tensor: torch.Tensor) -> None:
        """Fulfil ``PunicaWrapperBase._update_prefill_metadata``: the runs of tokens are not looked up on the host."""

    def add_shrink(
        self,
        y: tuple[torch.Tensor, ...] | torch.Tensor,
        x: torch.Tensor,
        lora_a_stacked: tuple[torch.Tensor, ...],
        scale: float,
        **kwargs: Any,
    ) -> None:
        """Fulfil ``PunicaWrapperBase.add_shrink``."""
        x = x.view(-1, x.shape[-1])
        for output, weights in zip(y, lora_a_stacked, strict=True):
            _shrink(output.view(-1, output.shape[-1]), x, weights, self._of_tokens(x), scale)

    def add_expand(
        self,
        y: torch.Tensor,
        x: tuple[torch.Tensor, ...] | torch.Tensor,
        lora_b_stacked: tuple[torch.Tensor, ...],
        output_slices: tuple[int, ...],
        offset_start: int = 0,
        add_inputs: bool = True,
        **kwargs: Any,
    ) -> None:
        """Fulfil ``PunicaWrapperBase.add_expand``."""
        y = y.view(-1, y.shape[-1])
        start = offset_start
        for inner, weights, width in zip(x, lora_b_stacked, output_slices, strict=True):
            _expand(y[:, start : start + width], inner, weights, self._of_tokens(inner), add_inputs)
            start += width

    def add_lora_embedding(
        self, y: torch.Tensor, x: torch.Tensor, lora_b_stacked: torch.Tensor, add_inputs: bool = True, **kwargs: Any
    ) -> None:
        """Fulfil ``PunicaWrapperBase.add_lora_embedding``."""
        _expand(y, x, lora_b_stacked, self._of_tokens(x), add_inputs)

    def add_lora_linear(
        self,
        y: torch.Tensor,
        x: torch.Tensor,
        lora_a_stacked: tuple[torch.Tensor, ...],
        lora_b_stacked: tuple[torch.Tensor, ...],
        scale: float,
        output_slices: tuple[int, ...],
        *,
        buffer: tuple[torch.Tensor, ...] | None = None,
        **kwargs: Any,
    ) -> None:
        """Fulfil ``PunicaWrapperBase.add_lora_linear``."""
        x = x.view(-1, x.shape[-1])
        if buffer is None:
            buffer = tuple(_inner(x, weights) for weights in lora_b_stacked)
        self.add_shrink(buffer, x, lora_a_stacked, scale)
        self.add_expand(y, buffer, lora_b_stacked, output_slices)

    def add_lora_logits(
        self,
        y: torch.Tensor,
        x: torch.Tensor,
        lora_a_stacked: torch.Tensor,
        lora_b_stacked: torch.Tensor,
        scale: float,
        *,
        buffer: torch.Tensor | None = None,
        **kwargs: Any,
    ) -> None:
        """Fulfil ``PunicaWrapperBase.add_lora_logits``."""
        x = x.view(-1, x.shape[-1])
        inner = _inner(x, lora_b_stacked) if buffer is None else buffer
        numbers = self._sampler_indices[: x.shape[0]]
        _shrink(inner, x, lora_a_stacked, numbers, scale)
        _expand(y.view(-1, y.shape[-1]), inner, lora_b_stacked, numbers)

    def apply_lora_full_linear(
        self,
        y: torch.Tensor,
        x: torch.Tensor,
        weight_stacked: torch.Tensor,
        bias_stacked: torch.Tensor,
        module_enabled: torch.Tensor,
    ) -> None:
        """Fulfil ``PunicaWrapperBase.apply_lora_full_linear``: layers whose adapters have weights of their own."""
        own = torch.zeros((x.shape[0], weight_stacked.shape[-2]), dtype=torch.float32, device=x.device)
        _shrink(own, x, weight_stacked, self.sampler_indices, 1.0)
        y.copy_(self._select_full_linear_output(y, own, bias_stacked, module_enabled))

    def _of_tokens(self, x: torch.Tensor) -> torch.Tensor:
        """Return the numbers of the rows' adapters, those that pad the batch included."""
        return self._token_lora_indices[: x.shape[0]]


def _inner(x: torch.Tensor, lora_b: torch.Tensor) -> torch.Tensor:
    return torch.zeros((x.shape[0], lora_b.shape[-1]), dtype=torch.float32, device=x.device)


def _shrink(y: torch.Tensor, x: torch.Tensor, lora_a: torch.Tensor, numbers: torch.Tensor, scale: float) -> None:
    """Set ``y`` (rows, rank) to the rows of ``x`` times their adapters' first matrices (slots, 1, rank, inputs)."""
    y.zero_()
    for slot in range(lora_a.shape[0]):
        matrix = lora_a[slot].view(lora_a.shape[-2:])
        product = (x.to(matrix.dtype) @ matrix.T).to(y.dtype)
        y[:, : product.shape[1]] += product.masked_fill((numbers != slot).unsqueeze(1), 0) * scale


def _expand(
    y: torch.Tensor, x: torch.Tensor, lora_b: torch.Tensor, numbers: torch.Tensor, add_inputs: bool = True
) -> None:
    """Add to ``y`` (rows, outputs) the rows of ``x`` (rows, rank) times their adapters' second matrices (slots, 1,
    outputs, rank), or set the rows with an adapter to that. Where both are padded, the narrower counts.
    """
    for slot in range(lora_b.shape[0]):
        matrix = lora_b[slot].view(lora_b.shape[-2:])
        width = min(matrix.shape[0], y.shape[1])
        product = (x.to(matrix.dtype) @ matrix[:width].T).to(y.dtype)
        others = (numbers != slot).unsqueeze(1)
        if add_inputs:
            y[:, :width] += product.masked_fill(others, 0)
        else:
            y[:, :width] = torch.where(others, y[:, :width], product)
