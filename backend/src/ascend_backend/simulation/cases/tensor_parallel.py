"""Tensor parallel: every layer is split between two processes."""

from typing import TYPE_CHECKING, Any

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case, equal
from ascend_backend.simulation.models.qwen3 import RECIPE

if TYPE_CHECKING:
    from ascend_backend.simulation.engine import Session


def ask(session: "Session") -> Any:
    """Return the greedy tokens, and the attention heads of every layer in every process."""
    llm = session.llm()
    return {"tokens": session.generate(llm, session.case.requests), "heads": llm.collective_rpc("probe_heads")}


def _differs(answer: Any, expected: Any) -> str | None:
    model = RECIPE.configuration()
    halves = [model.num_attention_heads // 2] * model.num_hidden_layers
    if [[*worker.values()] for worker in answer["heads"]] != [halves, halves]:
        return f"layers are not split between two processes, their heads are {answer['heads']}"
    return equal(answer["tokens"], expected)


register(
    Case(
        "tensor_parallel",
        RECIPE,
        engine={"tensor_parallel_size": 2, "distributed_executor_backend": "mp"},
        ask=ask,
        differs=_differs,
    )
)
