"""Qwen3, dense: the plainest run."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.qwen3 import RECIPE

register(Case("qwen3", RECIPE, faults=("swiglu_halves", "attention_scale", "later_slot")))
