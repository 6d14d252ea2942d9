"""Mistral: a sliding window in every layer."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.mistral import RECIPE

register(Case("mistral", RECIPE, faults=("window_ignored", "attention_scale")))
