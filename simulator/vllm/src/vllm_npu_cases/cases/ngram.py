"""Speculative decoding by n-grams of the prompt: drafts are verified, and change no token."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Prompts that repeat, so that there is something to propose.
_REQUESTS = (Request((42, 43, 44, 45) * 6), Request((7, 8, 9) * 8), Request(tuple(range(20, 220))))


def _ask(session: "Session") -> Any:
    llm = session.llm()
    tokens = session.generate(llm, _REQUESTS)
    metrics = {metric.name: getattr(metric, "value", None) for metric in llm.get_metrics()}
    return {
        "tokens": tokens,
        "drafted": metrics.get("vllm:spec_decode_num_draft_tokens"),
        "accepted": metrics.get("vllm:spec_decode_num_accepted_tokens"),
    }


def _differs(answer: Any, expected: Any) -> str | None:
    if not answer["drafted"]:
        return "no token was drafted"
    if not answer["accepted"]:
        return f"none of {answer['drafted']} drafted tokens was accepted"
    return equal(answer["tokens"], expected)


ENGINE = {
    "speculative_config": {
        "method": "ngram",
        "num_speculative_tokens": 3,
        "prompt_lookup_max": 3,
        "prompt_lookup_min": 1,
    },
    "disable_log_stats": False,
}

register(
    Case(
        "ngram",
        RECIPE,
        requests=_REQUESTS,
        engine=ENGINE,
        ask=_ask,
        differs=_differs,
        faults=("drafts_unverified",),
    )
)
