"""Whisper: what was said, with several sounds in one batch."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.whisper import RECIPE
from ascend_backend.simulation.question import Request

_REQUESTS = tuple(Request((3, 17 + i), sounds=((i, seconds),)) for i, seconds in enumerate((2.0, 1.3, 0.5)))

register(Case("whisper", RECIPE, requests=_REQUESTS))
