"""Code under a test of a parameter for an attribute that goes in the same change."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare, findings

OLD = """
class Request:
    def __init__(self, parts):
        self.parts = parts
        self.names = [p.name for p in parts]
        self.sizes = [p.size for p in parts]
"""
NEW = OLD.rpartition("        self.names")[0]
PLUGIN = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from lib.a import Request

def sizes({parameter}):
    if getattr(request, "parts", None):
        return [p.size for p in request.parts]
    elif {test}:
        return request.sizes
    return []
"""


@pytest.mark.parametrize(
    ("parameter", "test", "verdict"),
    [
        ('request: "Request"', 'getattr(request, "names", None)', "at-risk"),
        ('request: "Request"', 'getattr(request, "names", [])', "at-risk"),
        ('request: "Request"', 'hasattr(request, "names")', "at-risk"),
        ('request: "Request | None"', 'hasattr(request, "names")', "at-risk"),
        ('request: "Request"', 'not hasattr(request, "names")', "breaks"),
        ('request: "Request"', 'getattr(request, "names", [0])', "breaks"),
        ('request: "Request"', 'hasattr(request, "parts")', "breaks"),
        ('request: "Request"', 'hasattr(request, "other")', "breaks"),
        ('request: "Request", other=None', 'hasattr(other, "names")', "breaks"),
    ],
)
def test_a_test_of_a_parameter(parameter: str, test: str, verdict: str) -> None:
    """Code below the test is only at risk where the test held before and fails now."""
    rows = compare(OLD, NEW, PLUGIN.format(parameter=parameter, test=test))
    assert f"attribute-removed lib.a.Request.sizes {verdict} 9 sizes" in rows


def test_a_name_that_is_no_parameter() -> None:
    """A name of the module may be given another value in the function."""
    plugin = PLUGIN.format(parameter="given: object", test='hasattr(request, "names")')
    plugin = plugin.replace("    if getattr", "    request: Request = made()\n    if getattr")
    rows = compare(OLD, NEW, plugin)
    assert [row for row in rows if ".sizes" in row] == [
        "attribute-removed lib.a.Request.sizes breaks 10 sizes"
    ]


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


@pytest.mark.parametrize(
    ("test", "more", "verdict"),
    [
        ("hasattr(self, 'narrow')", "", "at-risk"),
        ("other and hasattr(self, 'narrow')", "", "at-risk"),
        ("hasattr(self, 'kept')", "", "breaks"),
        ("hasattr(self, 'never')", "", "breaks"),
        ("hasattr(other, 'narrow')", "", "breaks"),
        ("not hasattr(self, 'narrow')", "", "breaks"),
        ("other or hasattr(self, 'narrow')", "", "breaks"),
        ("hasattr(self, 'narrow')", "\ndef fill(layer: Layer):\n    layer.narrow = 1\n", "breaks"),
    ],
)
def test_an_object_with_a_base_of_another_package(test: str, more: str, verdict: str) -> None:
    """The base of another package does not supply the lost attributes: upstream itself sets them."""
    rows = compare(MODULE, LOST + more, MINE.format(test=test))
    assert [row for row in rows if ".wide" in row] == [f"attribute-removed lib.a.Layer.wide {verdict} 7 wide"]


def test_a_class_that_answers_for_any_name_is_not_seen_to_lack_one() -> None:
    new = LOST + "    def __getattr__(self, name): ...\n"
    found = findings(MODULE, new, MINE.format(test="hasattr(self, 'narrow')"))
    said = [finding.reason for finding in found if finding.subject == "wide"]
    assert said == ["lib.a.Layer.wide no longer exists, unless __getattr__ of lib.a.Layer answers for it"]
