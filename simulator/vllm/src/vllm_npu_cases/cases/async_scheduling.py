"""Async scheduling: a step is scheduled while the one before it still runs."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session


def _ask(session: "Session") -> Any:
    llm = session.llm()
    scheduler = type(llm.llm_engine.engine_core.engine_core.scheduler).__name__
    return {"tokens": session.generate(llm, TEXTS), "scheduler": scheduler}


def _differs(answer: Any, expected: Any) -> str | None:
    if answer["scheduler"] != "AsyncScheduler":
        return f"the scheduler is {answer['scheduler']}, not the asynchronous one"
    return equal(answer["tokens"], expected)


register(
    Case(
        "async_scheduling",
        RECIPE,
        engine={"async_scheduling": True},
        ask=_ask,
        differs=_differs,
        faults=("stale_token",),
    )
)
