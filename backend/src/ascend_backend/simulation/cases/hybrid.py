"""A hybrid model: layers with a gated delta net, whose states share blocks with the keys and values of attention."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.qwen3_next import RECIPE
from ascend_backend.simulation.question import TEXTS, Request

#: Longer than a block, and begun when another request has left its state behind.
_LONG = Request(tuple(20 + 7 * i % 900 for i in range(430)))

register(Case("hybrid", RECIPE, requests=(*TEXTS, _LONG)))
