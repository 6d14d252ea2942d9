"""Work on the host: with async scheduling no step that decodes waits for the device."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models import mistral, qwen3, qwen3_moe

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: V1 waits until the copies of the step before have left its buffers: not for what that step computes.
_OF_VLLM = " synchronize_input_prep"


def _ask(session: "Session") -> Any:
    llm = session.llm()
    llm.collective_rpc("probe_host_waits")
    tokens = session.generate(llm, session.case.requests)
    (waits,) = llm.collective_rpc("probe_host_waits")
    return {"tokens": tokens, **waits}


def _differs(answer: Any, expected: Any) -> str | None:
    if not answer["steps"]:
        return "no step decoded"
    waits = {place: times for place, times in answer["decoding"].items() if not place.endswith(_OF_VLLM)}
    if waits:
        return f"the host waits for the device in {answer['steps']} steps that decode: {waits}"
    return equal(answer["tokens"], expected)


for _name, _model, _eager in (
    ("host_waits", qwen3.RECIPE, True),
    ("host_waits_graphs", qwen3.RECIPE, False),
    ("host_waits_window", mistral.RECIPE, True),
    ("host_waits_experts", qwen3_moe.RECIPE, True),
):
    register(
        Case(
            _name,
            _model,
            engine={"async_scheduling": True, "enforce_eager": _eager},
            needs=frozenset({"decode_without_waits"}),
            ask=_ask,
            differs=_differs,
            faults=("lengths_read_back",),
        )
    )
