"""Qwen3-MoE, which has no shared experts."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3_moe import RECIPE

register(Case("qwen3_moe", RECIPE))
