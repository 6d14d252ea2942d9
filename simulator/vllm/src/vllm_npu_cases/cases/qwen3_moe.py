"""Qwen3-MoE, which has no shared experts."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3_moe import RECIPE
from vllm_npu_cases.question import TEXTS, Request

#: The second prompt of the other cases has two next tokens so near each other that float16 exchanges them.
_REQUESTS = (TEXTS[0], Request((706, 3, 12)), *TEXTS[2:])

register(Case("qwen3_moe", RECIPE, requests=_REQUESTS, faults=("expert_weights",)))
