"""Whisper: what was said, with several sounds in one batch."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.models.whisper import RECIPE
from vllm_npu_cases.question import Request

_REQUESTS = tuple(Request((3, 17 + i), sounds=((i, seconds),)) for i, seconds in enumerate((2.0, 1.3, 0.5)))

register(Case("whisper", RECIPE, requests=_REQUESTS, faults=("encoder_attention", "attention_scale")))
