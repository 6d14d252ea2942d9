"""A hybrid model: layers with a gated delta net, whose states share blocks with keys and values."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3_next import RECIPE
from vllm_npu_cases.question import TEXTS, Request

#: Longer than a block, and begun when another request has left its state behind.
_LONG = Request(tuple(20 + 7 * i % 900 for i in range(430)))

register(Case("hybrid", RECIPE, requests=(*TEXTS, _LONG), faults=("state_forgotten", "expert_weights")))
