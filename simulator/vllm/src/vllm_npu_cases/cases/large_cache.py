"""A KV cache of a real model's size, in blocks of all layers: operators get no more than they document."""

from typing import TYPE_CHECKING, Any

from vllm_npu_cases.bfloat16 import in_bfloat16
from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, equal
from vllm_npu_cases.cases.offload import ENGINE
from vllm_npu_cases.models.recipe import COMMON, DENSE, Recipe

if TYPE_CHECKING:
    from vllm_npu_cases.session import Session

#: Heads as a model of eight billion weights has them; its 36 layers are two with eighteen times as many blocks.
_SIZE, _KV_HEADS, _LAYERS, _BLOCK = 128, 8, 2, 128
#: What keys, and what values, must have fewer numbers than.
_BOUND = 1 << 31
_BLOCKS = _BOUND // (_LAYERS * _BLOCK * _KV_HEADS * _SIZE)
#: Those that requests may take: the last ones.
_LEFT = 16


def _configuration() -> Any:
    from transformers import Qwen3Config

    return Qwen3Config(**COMMON, num_attention_heads=_KV_HEADS, num_key_value_heads=_KV_HEADS, head_dim=_SIZE)


def _tokens(session: "Session", blocks: int) -> list[list[int]]:
    """Return the tokens of requests that have the last of so many blocks."""
    llm = session.llm(num_gpu_blocks_override=blocks)
    pool = llm.llm_engine.engine_core.engine_core.scheduler.kv_cache_manager.block_pool
    pool.get_new_blocks(pool.get_num_free_blocks() - _LEFT)
    return session.generate(llm, session.case.requests)


def _ask(session: "Session") -> Any:
    try:
        return {"refused": None, "tokens": _tokens(session, _BLOCKS + _LEFT)}
    except ValueError as error:
        return {"refused": str(error), "tokens": _tokens(session, _BLOCKS - _LEFT)}


def _differs(answer: Any, expected: Any) -> str | None:
    refused = answer["refused"]
    if refused is not None and ("\n" in refused or "block" not in refused):
        return f"the refusal does not say in a line what is too large: {refused}"
    return equal(answer["tokens"], expected)


register(
    in_bfloat16(
        Case(
            "large_cache",
            Recipe("qwen3_wide", _configuration, DENSE),
            engine={
                **ENGINE,
                "kv_cache_memory_bytes": 12 << 30,
                "worker_extension_cls": "vllm_npu_cases.sparse_probe.Probe",
            },
            needs=frozenset({"kv_offload_counts"}),
            ask=_ask,
            differs=_differs,
            faults=("cache_uncounted",),
        )
    )
)
