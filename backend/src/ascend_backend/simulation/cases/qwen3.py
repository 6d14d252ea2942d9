"""Qwen3, dense: the plainest run."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.qwen3 import RECIPE

register(Case("qwen3", RECIPE))
