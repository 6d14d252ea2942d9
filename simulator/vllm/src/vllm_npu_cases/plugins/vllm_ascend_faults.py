"""Faults in lines of vllm-ascend, which a run must notice."""

from collections.abc import Callable
from typing import Any

from torch_npu_sim import faults

from vllm_npu_cases.faults.in_engine import verify_nothing


def scale() -> None:
    """Multiply the plugin's attention scale by 1.1: the tokens must change."""
    from vllm_ascend.attention.attention_v1 import AscendAttentionBackendImpl

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def larger(self: Any, *arguments: Any, **keywords: Any) -> None:
            correct(self, *arguments, **keywords)
            self.scale *= 1.1

        return larger

    faults.in_member("scale", AscendAttentionBackendImpl, "__init__", change)


def drafts_unverified() -> None:
    """Every token that was drafted is accepted."""
    from vllm_ascend.sample import rejection_sampler

    verify_nothing("drafts_unverified", rejection_sampler)


FAULTS: dict[str, Callable[[], None]] = {
    "scale": scale,
    "drafts_unverified": drafts_unverified,
}
