"""Memory planning: what takes how much, and the largest ``max_model_len`` that fits."""

import re
from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models import qwen3, qwen3_vl
from vllm_npu_cases.models.vision import IMAGE, START, STOP
from vllm_npu_cases.question import TEXTS, Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Elements of 128 tokens in two layers of two heads of keys and values, 32 wide.
_BLOCK_ELEMENTS = 128 * 2 * 2 * 2 * 32
_BLOCKS = 3


def _llm(session: "Session", length: int) -> Any:
    """Return an engine with so few blocks, whose longest request has ``length`` tokens."""
    block = _BLOCK_ELEMENTS * session.element_bytes
    return session.llm(max_model_len=length, kv_cache_memory_bytes=_BLOCKS * block)


def _refusal(session: "Session", length: int) -> str | None:
    """Return why the engine does not start with a longest request of ``length`` tokens, or None."""
    try:
        _llm(session, length)
    except ValueError as error:
        return str(error)
    return None


def _ask(session: "Session") -> Any:
    refusal = _refusal(session, 512)
    found = re.search(r"estimated maximum model length is (\d+)", refusal or "")
    if found is None:
        return {"refusal": refusal, "largest": 0, "tokens": [], "exceeds": None}
    largest = int(found[1])
    tokens = session.generate(_llm(session, largest), session.case.requests)
    return {"refusal": refusal, "largest": largest, "tokens": tokens, "exceeds": _refusal(session, largest + 1)}


def _differs(answer: Any, expected: Any) -> str | None:
    # Whether the block that belongs to nobody counts differs among versions of vLLM.
    if answer["largest"] not in (_BLOCKS * 128, (_BLOCKS - 1) * 128):
        return f"not the largest length: {answer['refusal']}"
    if "which is larger than the available KV cache memory" not in (answer["exceeds"] or ""):
        return f"{answer['largest'] + 1} tokens are not refused for want of KV cache: {answer['exceeds']}"
    return equal(answer["tokens"], expected)


def _ask_plan(session: "Session") -> Any:
    llm = session.llm(kv_cache_memory_bytes=None, gpu_memory_utilization=0.5, num_gpu_blocks_override=16)
    (plan,) = llm.collective_rpc("memory_plan")
    return {"plan": plan, "tokens": session.generate(llm, session.case.requests)}


def _differs_plan(answer: Any, expected: Any) -> str | None:
    plan = answer["plan"]
    pieces = plan["weights"] + plan["activations"] + plan["rest"] + plan["kv_cache"]
    if pieces != plan["requested"] or plan["requested"] != plan["total"] // 2:
        return f"the pieces are not what was requested: {plan}"
    if min(plan["weights"], plan["encoder"], plan["kv_cache"]) <= 0:
        return f"a piece is missing: {plan}"
    return equal(answer["tokens"], expected)


_FAULTS = ("half_of_a_request",)
register(Case("memory_length", qwen3.RECIPE, requests=TEXTS[:2], faults=_FAULTS, ask=_ask, differs=_differs))
_PICTURE = Request((5, 17, START, IMAGE, STOP, 99, 230), images=((1, 112, 112),))
_NEEDS = frozenset({"memory_plan"})
register(
    Case(
        "memory_plan",
        qwen3_vl.RECIPE,
        requests=(_PICTURE,),
        needs=_NEEDS,
        faults=("encoder_not_measured", "activations_halved"),
        blind_to={"activations_halved": "what is left of the memory is counted as the rest, so that all adds up again"},
        ask=_ask_plan,
        differs=_differs_plan,
    )
)
