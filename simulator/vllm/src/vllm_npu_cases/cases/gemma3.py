"""Gemma 3: a sliding window in some layers."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.gemma3 import RECIPE

register(Case("gemma3", RECIPE, faults=("window_ignored", "swiglu_halves", "attention_scale")))
