"""Code under a test of a parameter for an attribute that goes in the same change."""

from __future__ import annotations

from tests.contracts.world import findings

MODULE = """
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        self.wide = self.narrow = self.kept = 1
"""
LOST = MODULE.replace("self.wide = self.narrow = ", "")
MINE = """
from lib.a import Layer


class Mine(Layer):
    def run(self, other):
        if {test}:
            return self.wide
"""


def test_a_class_that_answers_for_any_name_is_not_seen_to_lack_one() -> None:
    new = LOST + "    def __getattr__(self, name): ...\n"
    found = findings(MODULE, new, MINE.format(test="hasattr(self, 'narrow')"))
    said = [finding.reason for finding in found if finding.subject == "wide"]
    assert said == ["lib.a.Layer.wide no longer exists, unless __getattr__ of lib.a.Layer answers for it"]
