"""Qwen3-MoE, which has no shared experts."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.qwen3_moe import RECIPE

register(Case("qwen3_moe", RECIPE))
