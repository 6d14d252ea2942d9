"""Gemma 3: a sliding window in some layers."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.gemma3 import RECIPE

register(Case("gemma3", RECIPE))
