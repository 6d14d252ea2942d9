"""Mistral: a sliding window in every layer."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.mistral import RECIPE

register(Case("mistral", RECIPE))
