"""KV offloading: a prefix goes to the host, loses its blocks, comes back, and changes no token."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.models import deepseek_v3, gemma3, qwen3
from vllm_npu_cases.question import Request

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Two blocks of 128 tokens and some; the cache has room for one such request at a time, beside a few blocks.
_PREFIX = tuple(range(20, 320))
OTHERS = tuple(Request(tuple(range(first, first + 300))) for first in (400, 500, 600))
REQUESTS = (Request(_PREFIX), Request((*_PREFIX[:290], 700, 701)))
_BLOCKS = 6
_RUNS_OF_BLOCK = 2


def _ask(session: "Session") -> Any:
    llm = session.llm()
    first, again = REQUESTS
    outputs = [session.outputs(llm, [first])[0]]
    for other in OTHERS:
        session.generate(llm, [other])
    outputs.append(session.outputs(llm, [again])[0])
    (moved,) = llm.collective_rpc("probe_offloading")
    return {
        "tokens": [list(output.outputs[0].token_ids) for output in outputs],
        "cached": [output.num_cached_tokens for output in outputs],
        "moved": moved,
    }


def differs_in_moves(moved: Any) -> str | None:
    """Return in words why blocks of all layers were not moved in as few runs as they have, or None."""
    if not moved["blocks"] or moved["copies"] != _RUNS_OF_BLOCK * moved["blocks"]:
        return f"runs of bytes moved: {moved}, not {_RUNS_OF_BLOCK} a block"
    return None


def _differs(answer: Any, expected: Any) -> str | None:
    if answer["cached"] != [0, 256]:
        return f"tokens found: {answer['cached']}, not [0, 256]"
    return differs_in_moves(answer["moved"]) or equal(answer["tokens"], expected)


ENGINE = {
    "enable_prefix_caching": True,
    "num_gpu_blocks_override": _BLOCKS,
    "block_size": 128,
    "kv_transfer_config": {
        "kv_connector": "OffloadingConnector",
        "kv_role": "kv_both",
        "kv_connector_extra_config": {"cpu_bytes_to_use": 16 << 20, "cross_layer_blocks": True},
    },
}

_OWN: dict[str, Any] = {
    "needs": frozenset({"kv_offload_counts"}),
    "faults": ("zeros_loaded",),
    "ask": _ask,
    "differs": _differs,
}
register(Case("offload", qwen3.RECIPE, requests=REQUESTS, engine=ENGINE, **_OWN))
register(Case("offload_mla", deepseek_v3.RECIPE, requests=REQUESTS, engine=ENGINE, **_OWN))
# Layers with a window and without are not uniform: each is a group and an allocation of its own.
register(
    Case(
        "offload_mixed",
        gemma3.RECIPE,
        requests=REQUESTS,
        engine=ENGINE | {"num_gpu_blocks_override": 2 * _BLOCKS + 1},
        **_OWN,
    )
)
