"""Speculative decoding by n-grams of the prompt: drafts are verified, and change no token."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases import drafting
from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Prompts that repeat, so that there is something to propose.
_REQUESTS = (Request((42, 43, 44, 45) * 6), Request((7, 8, 9) * 8), Request(tuple(range(20, 220))))


def _ask(session: "Session") -> Any:
    return drafting.answered(session, session.llm(), _REQUESTS)


ENGINE = {
    "speculative_config": {
        "method": "ngram",
        "num_speculative_tokens": 3,
        "prompt_lookup_max": 3,
        "prompt_lookup_min": 1,
    },
    **drafting.COUNTS,
}

register(
    Case(
        "ngram",
        RECIPE,
        requests=_REQUESTS,
        engine=ENGINE,
        ask=_ask,
        differs=drafting.differs,
        faults=("drafts_unverified",),
    )
)
