"""Latent attention of long prompts, whose context is brought out of the cache in chunks."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models.deepseek_v3 import RECIPE
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Of one block, and cached tokens are brought out in as many at a time.
_CHUNK = 128
_PIECE = 80
#: Contexts of several chunks; one prompt that shares its first blocks with another; one that is decoded beside them.
_REQUESTS = (
    Request(tuple(range(20, 420))),
    Request((*range(20, 300), *range(600, 650))),
    Request((5, 17, 99, 230, 4, 8)),
)


def _ask(session: "Session") -> Any:
    llm = session.llm()
    return {
        "together": session.generate(llm, _REQUESTS),
        "again": session.generate(llm, _REQUESTS[:2]),
        "merged": session.operators["npu_attention_update"],
    }


def _differs(answer: Any, expected: Any) -> str | None:
    """Return what is wrong; the last piece of the longest prompt alone has a context of three chunks or more."""
    layers = RECIPE.configuration().num_hidden_layers
    least = layers * sum(-(-start // _CHUNK) for start in range(_PIECE, 320 + 1, _PIECE))
    if answer["merged"] < least:
        return f"contexts were merged {answer['merged']} times, not {least} or more"
    return equal(answer["together"], expected) or equal(answer["again"], expected[:2])


register(
    Case(
        "mla_context",
        RECIPE,
        requests=_REQUESTS,
        operators=("npu_gather_pa_kv_cache", "npu_attention_update"),
        engine={
            "max_num_batched_tokens": _PIECE,
            "enable_prefix_caching": True,
            "additional_config": {"mla_context_chunk": _CHUNK},
        },
        needs=frozenset({"latent_context_chunks"}),
        ask=_ask,
        differs=_differs,
        faults=("merge_exchanged",),
    )
)
