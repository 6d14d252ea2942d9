"""Negative controls: faults put into the backend on purpose, which a run must notice."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch_npu_sim import faults

if TYPE_CHECKING:
    import torch

_HIDDEN = "npu_scatter_pa_kv_cache"


def wrong_scale() -> None:
    """Multiply the attention scale by 1.1: the tokens must change."""
    from ascend_backend.ops import attention

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, scale, **keywords: correct(*arguments, scale=scale * 1.1, **keywords)

    faults.in_member("scale", attention, "paged_attention", change)


def wrong_keyword() -> None:
    """Call an operator with a keyword that its schema lacks: torch must refuse the call."""

    def rms_norm(x: "torch.Tensor", weight: "torch.Tensor", epsilon: float) -> "torch.Tensor":
        import torch_npu

        return torch_npu.npu_rms_norm(x, weight, eps=epsilon)[0]

    _in_norm("keyword", rms_norm)


def missing_reference() -> None:
    """Call an operator that has a schema and no reference: the device must name it."""

    def rms_norm(x: "torch.Tensor", weight: "torch.Tensor", epsilon: float) -> "torch.Tensor":
        import torch_npu

        return torch_npu.npu_gemma_rms_norm(x, weight, epsilon)[0]

    _in_norm("reference", rms_norm)


def missing_operator() -> None:
    """Hide an operator that the backend calls, as an older torch_npu does: it must be named before anything runs."""
    import torch_npu

    delattr(torch_npu, _HIDDEN)


def overlapping_slot() -> None:
    """Write every request into one block: two tokens of a batch get one slot, which the operator does not take."""
    from ascend_backend.ops import kv_cache

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def one_block(key: Any, value: Any, key_cache: Any, value_cache: Any, slots: Any) -> None:
            correct(key, value, key_cache, value_cache, slots % key_cache.shape[1])

        return one_block

    faults.in_member("slot", kv_cache, "reshape_and_cache", change)


def _in_norm(fault: str, function: Callable[..., Any]) -> None:
    from ascend_backend.ops import norm

    faults.in_member(fault, norm, "rms_norm", lambda correct: function)


CONTROLS: dict[str, Callable[[], None]] = {
    "scale": wrong_scale,
    "keyword": wrong_keyword,
    "missing": missing_operator,
    "reference": missing_reference,
    "slot": overlapping_slot,
}
