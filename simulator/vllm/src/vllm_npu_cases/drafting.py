"""Answers of an engine that drafts: tokens, and how many of them it drafted and accepted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases.case import equal
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Without it the engine does not count.
COUNTS = {"disable_log_stats": False}


def answered(session: "Session", llm: Any, requests: Sequence[Request]) -> dict[str, Any]:
    """Return the tokens of requests, and what the engine counted meanwhile."""
    tokens = session.generate(llm, requests)
    metrics = {metric.name: getattr(metric, "value", None) for metric in llm.get_metrics()}
    return {
        "tokens": tokens,
        "drafted": metrics.get("vllm:spec_decode_num_draft_tokens"),
        "accepted": metrics.get("vllm:spec_decode_num_accepted_tokens"),
    }


def differs(answer: Any, expected: Any) -> str | None:
    """Return how an answer differs from tokens: drafts are accepted, and change none."""
    if not answer["drafted"]:
        return "no token was drafted"
    if not answer["accepted"]:
        return f"none of {answer['drafted']} drafted tokens was accepted"
    return equal(answer["tokens"], expected)
