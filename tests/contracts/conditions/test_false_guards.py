"""Code under a test of a parameter for an attribute that goes in the same change."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

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
    """What is read below it is read only where the test held before and does not any more."""
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
