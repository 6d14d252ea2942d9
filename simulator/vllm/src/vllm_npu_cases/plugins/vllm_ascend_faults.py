"""Faults in the device's operators and in lines of vllm-ascend, which a run must notice."""

from collections.abc import Callable
from typing import Any

from torch_npu_sim import faults


def swiglu() -> None:
    """Exchange the halves of SwiGLU: the tokens must change."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def exchanged(x: Any, dim: int = -1) -> Any:
            return correct(x.roll(x.shape[dim] // 2, dim), dim)

        return exchanged

    faults.in_operator("swiglu", "npu_swiglu", change)


def slot() -> None:
    """Write keys and values one slot later within their block: the tokens must change."""

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def later(key: Any, value: Any, key_cache: Any, value_cache: Any, slots: Any, **keywords: Any) -> Any:
            size = key_cache.shape[1]
            moved = slots.where(slots < 0, slots // size * size + (slots + 1) % size)
            return correct(key, value, key_cache, value_cache, moved, **keywords)

        return later

    faults.in_operator("slot", "npu_scatter_pa_kv_cache", change)


def scale() -> None:
    """Multiply the plugin's attention scale by 1.1: the tokens must change."""
    from vllm_ascend.attention.attention_v1 import AscendAttentionBackendImpl

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def larger(self: Any, *arguments: Any, **keywords: Any) -> None:
            correct(self, *arguments, **keywords)
            self.scale *= 1.1

        return larger

    faults.in_member("scale", AscendAttentionBackendImpl, "__init__", change)


def stale_update() -> None:
    """Let updates of graphs keep what was captured: the tokens of replays must change."""
    from vllm_ascend.compilation.updatable_graph import GraphUpdateTask

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, *arguments, **keywords: self

    faults.in_member("stale_update", GraphUpdateTask, "bind", change)


FAULTS: dict[str, Callable[[], None]] = {
    "scale": scale,
    "slot": slot,
    "stale_update": stale_update,
    "swiglu": swiglu,
}
