"""Exceptions to rows, which strict runs accept: each with who relies on it, and why we believe it works."""

from __future__ import annotations

from dataclasses import dataclass

from torch_npu_sim.strictness.call import Call
from torch_npu_sim.strictness.conditions import Condition, Given, OfLength, OfRank
from torch_npu_sim.strictness.row import Row


@dataclass(frozen=True)
class Excepted:
    """Rows of an operator, by name, that calls are not held to where ``when`` holds."""

    operator: str
    rows: tuple[str, ...]
    what: str
    done_by: str
    believed: str
    when: tuple[Condition, ...] = ()


_FIRST = "npu_fused_infer_attention_score"
_SECOND = "npu_fused_infer_attention_score_v2"

EXCEPTED = (
    Excepted(
        _FIRST,
        (
            *("packed queries without a paged cache", "size of packed heads"),
            *("number of packed heads", "as many packed heads of keys"),
        ),
        "packed queries over a paged cache, of models with other heads",
        "vllm-ascend 0.30.0rc2, in each attention layer (vllm_ascend/attention/attention_v1.py)",
        "the same document describes the cache of packed queries (page attention: BNSD, TND), and vllm-ascend's tests "
        "on devices generate so with heads of 64 and 128, fewer of keys than of queries, and any number of them; all "
        "of these are in bfloat16, so that the dtype is held to",
        when=(Given("block_table"),),
    ),
    Excepted(
        _SECOND,
        ("size of packed heads",),
        "packed queries over a paged cache, of models with other heads",
        "vllm-ascend 0.30.0rc2 (vllm_ascend/attention/attention_v1.py)",
        "as of the first operator, whose successor it is",
        when=(Given("block_table"),),
    ),
    Excepted(
        "npu_grouped_matmul",
        ("dimensions of scales",),
        "a row of scales for each group of one weight that has all groups",
        "vllm-ascend 0.30.0rc2 (vllm_ascend/quantization/methods/w8a8/w8a8_dynamic.py)",
        "the same document has as many scales as weights, and scales of the form [g, n] beside such a weight "
        "(antiquant_scale): a single dimension would be one row for all groups",
        when=(OfLength("weight", 1), OfRank("weight", 3)),
    ),
    Excepted(
        "npu_grouped_matmul",
        ("dimensions of biases",),
        "a row of biases for each group of one weight that has all groups",
        "vllm-ascend 0.30.0rc2 (vllm_ascend/ops/fused_moe/routed_experts.py)",
        "as of the scales",
        when=(OfLength("weight", 1), OfRank("weight", 3)),
    ),
)


def excepted(row: Row, call: Call) -> bool:
    """Say whether a call is not held to a row."""
    return any(
        row.name in each.rows and call.operator == each.operator and all(one.holds(call) for one in each.when)
        for each in EXCEPTED
    )
