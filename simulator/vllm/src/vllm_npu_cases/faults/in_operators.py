"""Faults in the device's operators: they hold for any plugin that calls one of them."""

from collections.abc import Callable, Mapping
from typing import Any

from torch_npu_sim import faults

_ATTENTION = (
    "npu_fused_infer_attention_score",
    "npu_fused_infer_attention_score.out",
    "npu_fused_infer_attention_score_v2",
    "npu_fused_infer_attention_score_v2.out",
    "npu_fusion_attention",
    "_npu_paged_attention",
)
_WRITES = ("npu_scatter_pa_kv_cache", "_C_ascend::npu_scatter_pa_kv_cache", "_npu_reshape_and_cache")
_NORMS = (
    "npu_rms_norm",
    "npu_add_rms_norm",
    "npu_gemma_rms_norm",
    "_C_ascend::npu_add_rms_norm_bias",
    "_C_ascend::npu_gemma_rms_norm",
)


def _in_operators(fault: str, names: tuple[str, ...], change: faults.Change, **keywords: Any) -> None:
    from torch_npu_sim import operators

    for name in operators.implemented().intersection(names):
        faults.in_operator(fault, name, change, **keywords)


def _with_first(factor: float) -> faults.Change:
    """Return the change that multiplies the first argument."""
    return lambda correct: lambda first, *arguments, **keywords: correct(first * factor, *arguments, **keywords)


def attention_scale() -> None:
    """Attention is computed with a scale that is 1.1 times as large."""
    _in_operators("attention_scale", _ATTENTION, _with_first(1.1))


def attention_doubled() -> None:
    """Attention is computed with twice the scale: what rounding does not hide."""
    _in_operators("attention_doubled", _ATTENTION, _with_first(2.0))


def encoder_attention() -> None:
    """Attention without a KV cache, such as that of encoders, is computed with twice the scale."""

    def outside_the_cache(*arguments: Any, **keywords: Any) -> bool:
        return keywords.get("block_table") is None

    _in_operators("encoder_attention", _ATTENTION[:-1], _with_first(2.0), when=outside_the_cache)


def window_ignored() -> None:
    """Attention sees what lies before its window."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def unbounded(*arguments: Any, **keywords: Any) -> Any:
            return correct(*arguments, **(keywords | {"pre_tokens": 2**31 - 1}))

        return unbounded

    def windowed(*arguments: Any, **keywords: Any) -> bool:
        return int(keywords.get("pre_tokens", 2**31 - 1)) < 2**31 - 1

    _in_operators("window_ignored", _ATTENTION, change, when=windowed)


def cached_block_lost() -> None:
    """Where a prompt is attended to after what is cached, the first block is read from another place."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def elsewhere(*arguments: Any, **keywords: Any) -> Any:
            table = keywords["block_table"].clone()
            table[:, 0] = 0
            return correct(*arguments, **(keywords | {"block_table": table}))

        return elsewhere

    def of_prompts(*arguments: Any, **keywords: Any) -> bool:
        ends = list(keywords.get("actual_seq_lengths") or keywords.get("actual_seq_qlen") or ())
        queries = [end - start for start, end in zip([0, *ends], ends, strict=False)]
        return keywords.get("block_table") is not None and any(query > 1 for query in queries)

    _in_operators("cached_block_lost", _ATTENTION, change, when=of_prompts)


def later_slot() -> None:
    """Keys and values are written one slot later within their block."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def later(key: Any, value: Any, key_cache: Any, value_cache: Any, slots: Any, **keywords: Any) -> Any:
            size = key_cache.shape[1]
            moved = slots.where(slots < 0, slots // size * size + (slots + 1) % size)
            return correct(key, value, key_cache, value_cache, moved, **keywords)

        return later

    _in_operators("later_slot", _WRITES, change)


def merge_exchanged() -> None:
    """Where parts of attention are merged, the parts exchange their weights."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda lse, *arguments, **keywords: correct([*reversed(lse)], *arguments, **keywords)

    _in_operators("merge_exchanged", ("npu_attention_update",), change)


def swiglu_halves() -> None:
    """SwiGLU exchanges the half that is a gate and the half that is gated."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, dim=-1: correct(x.roll(x.shape[dim] // 2, dim), dim)

    _in_operators("swiglu_halves", ("npu_swiglu",), change)


def norm_larger() -> None:
    """Norms are a thousandth too large: the order of most tokens stays, their probabilities differ."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def larger(*arguments: Any, **keywords: Any) -> Any:
            first, *others = correct(*arguments, **keywords)
            return (first * 1.001, *others)

        return larger

    _in_operators("norm_larger", _NORMS, change)


def expert_weights() -> None:
    """The experts of a token exchange their weights."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def exchanged(tokens: Any, indices: Any, probs: Any = None, *arguments: Any, **keywords: Any) -> Any:
            return correct(tokens, indices, probs.flip(-1), *arguments, **keywords)

        return exchanged

    def weighted(*arguments: Any, **keywords: Any) -> bool:
        return len(arguments) > 2 and arguments[2] is not None

    _in_operators("expert_weights", ("npu_moe_token_unpermute",), change, when=weighted)


def token_scale() -> None:
    """The scales of tokens that are quantised are 1.1 times as large."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def larger(*arguments: Any, **keywords: Any) -> Any:
            values, scale, *others = correct(*arguments, **keywords)
            return (values, scale * 1.1, *others)

        return larger

    _in_operators("token_scale", ("npu_dynamic_quant",), change)


FAULTS: Mapping[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        *(attention_scale, encoder_attention, window_ignored, cached_block_lost, later_slot, merge_exchanged),
        *(swiglu_halves, norm_larger, expert_weights, token_scale, attention_doubled),
    )
}
