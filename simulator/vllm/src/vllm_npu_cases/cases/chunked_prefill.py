"""Chunked prefill: prompts are attended to in parts of 32 tokens, beside the next tokens of other requests."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.qwen3 import RECIPE
from vllm_npu_cases.question import TEXTS

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

_CHUNK = 32


def _ask(session: "Session") -> Any:
    tokens = session.generate(session.llm(), TEXTS)
    layers = RECIPE.configuration().num_hidden_layers
    return {"tokens": tokens, "steps": session.operators["npu_fused_infer_attention_score"] // layers}


def _differs(answer: Any, expected: Any) -> str | None:
    """Return what is wrong; every prompt in one piece would take as many steps as there are new tokens."""
    least = max(len(request.prompt) for request in TEXTS) // _CHUNK + len(expected[0])
    if answer["steps"] < least:
        return f"the prompts were not cut into chunks: {answer['steps']} steps, not {least} or more"
    return equal(answer["tokens"], expected)


register(
    Case(
        "chunked_prefill",
        RECIPE,
        engine={"enable_chunked_prefill": True, "max_num_batched_tokens": _CHUNK},
        ask=_ask,
        differs=_differs,
        faults=("cached_block_lost", "later_slot"),
    )
)
