"""Data parallel with expert parallel: two engines share the experts."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3_moe import RECIPE
from vllm_npu_cases.question import TEXTS, Request
from vllm_npu_cases.side_by_side import in_two_processes

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: The second engine goes on with the longer prompt when the first has nothing left to do but to work along.
_SHARES = (TEXTS[:2], TEXTS[2:])


def _generate(session: "Session", rank: int, port: int, requests: Sequence[Request]) -> dict[str, Any]:
    """Be one of the engines, as vLLM's users start them offline: return the tokens, and the experts' calls."""
    place = {"RANK": rank, "RANK_LOCAL": rank, "SIZE": len(_SHARES), "MASTER_IP": "127.0.0.1", "MASTER_PORT": port}
    os.environ.update({f"VLLM_DP_{name}": str(value) for name, value in place.items()})
    llm = session.llm(enable_expert_parallel=True)
    layers = llm.collective_rpc("probe_experts")[0]
    tokens = session.generate(llm, requests[:1])
    tokens += session.generate(llm, requests[1:])
    return {"tokens": tokens, "experts": layers, "calls": session.operators["npu_grouped_matmul"]}


def ask(session: "Session") -> Any:
    """Return the tokens of both engines, how many experts each has, and how often it called them."""
    from vllm_npu_cases.server import free_port

    port = free_port()
    first, second = in_two_processes(lambda rank: _generate(session, rank, port, _SHARES[rank]))
    return {name: [first[name], second[name]] for name in first}


def differs(answer: Any, expected: Any) -> str | None:
    """Return what is wrong: experts that are not shared, engines out of step, or other tokens."""
    every = RECIPE.configuration().num_experts
    if any(2 * experts != every for experts in answer["experts"]):
        return f"the engines have {answer['experts']} of {every} experts"
    if answer["calls"][0] != answer["calls"][1] or not all(answer["calls"]):
        return f"the engines computed experts in {answer['calls']} calls: not in step"
    return equal([*answer["tokens"][0], *answer["tokens"][1]], expected)


register(Case("data_parallel", RECIPE, ask=ask, differs=differs, faults=("own_share_alone", "expert_weights")))
