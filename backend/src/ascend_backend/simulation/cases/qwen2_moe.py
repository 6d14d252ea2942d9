"""Qwen2-MoE: experts beside a shared one."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.qwen2_moe import RECIPE

register(Case("qwen2_moe", RECIPE))
