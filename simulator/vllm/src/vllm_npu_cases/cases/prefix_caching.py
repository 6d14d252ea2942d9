"""Prefix caching: what another request has computed is found again, and changes no token."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: More than a block of 128 tokens is shared; the second request goes another way after it.
_SHARED = tuple(range(20, 220))
_REQUESTS = (Request(_SHARED), Request((*_SHARED[:150], 700, 701)), Request(_SHARED))
_BLOCK = 128


def _ask(session: "Session") -> Any:
    llm = session.llm()
    outputs = [session.outputs(llm, [request])[0] for request in _REQUESTS]
    return {
        "tokens": [list(output.outputs[0].token_ids) for output in outputs],
        "cached": [output.num_cached_tokens for output in outputs],
    }


def _differs(answer: Any, expected: Any) -> str | None:
    if answer["cached"] != [0, _BLOCK, _BLOCK]:
        return f"tokens found in the cache: {answer['cached']}, not {[0, _BLOCK, _BLOCK]}"
    return equal(answer["tokens"], expected)


register(
    Case(
        "prefix_caching",
        RECIPE,
        requests=_REQUESTS,
        engine={"enable_prefix_caching": True},
        ask=_ask,
        differs=_differs,
        faults=("cached_block_lost", "later_slot"),
        blind_to={
            "later_slot": "attention sees a full block whatever the order in it, and misses one token of two hundred"
        },
    )
)
