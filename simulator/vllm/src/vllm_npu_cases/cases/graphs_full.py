"""Decode batches as one graph each, replayed for every batch of that size."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3 import RECIPE

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Three requests are padded to four.
SIZES = [1, 2, 4]


def ask(session: "Session") -> Any:
    """Return the greedy tokens, how many graphs each worker captured, and how often it replayed one."""
    llm = session.llm()
    before = llm.collective_rpc("probe_graphs")
    tokens = session.generate(llm, session.case.requests)
    # The longest answers go on alone, in smaller batches.
    tokens += session.generate(llm, session.case.requests[:3])
    after = llm.collective_rpc("probe_graphs")
    return {
        "tokens": tokens,
        "captures": [each["captures"] for each in before],
        "replays": [last["replays"] - first["replays"] for first, last in zip(before, after, strict=True)],
    }


def differs(answer: Any, expected: Any) -> str | None:
    """Return what is wrong: no graph, or other tokens."""
    if not all(answer["captures"]) or not all(answer["replays"]):
        return f"{answer['captures']} graphs were captured and {answer['replays']} replayed"
    return equal(answer["tokens"], [*expected, *expected[:3]])


register(
    Case(
        "graphs_full",
        RECIPE,
        engine={
            "enforce_eager": False,
            "compilation_config": {"cudagraph_mode": "FULL_DECODE_ONLY", "cudagraph_capture_sizes": SIZES},
        },
        ask=ask,
        differs=differs,
        faults=("stale_update", "replay_overtaken", "call_left_out", "cache_update_left_out"),
    )
)
