"""Qwen2-MoE: experts beside a shared one."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen2_moe import RECIPE

register(Case("qwen2_moe", RECIPE, faults=("expert_weights",)))
