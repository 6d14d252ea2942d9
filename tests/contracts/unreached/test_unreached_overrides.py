"""Overrides that nobody calls: what stands in them does not break."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Batch:
    @classmethod
    def dummy(cls, size, device):
        return fill(size, device)

def fill(size, device):
    return size

def warm():
    return Batch.dummy(1, 2)
"""
NEW = OLD.replace("def fill(size, device)", "def fill(size)").replace("fill(size, device)", "fill(size)")
OWN = """
from lib.a import Batch, fill

class OwnBatch(Batch):
    @classmethod
    def dummy(cls, size, device):
        return fill(size, device)
"""


def test_upstream_names_its_own_class() -> None:
    (row,) = compare(OLD, NEW, OWN)
    assert row.startswith("parameter-removed lib.a.fill at-risk 6")


@pytest.mark.parametrize(
    ("new", "own"),
    [
        pytest.param(NEW, OWN + "\ndef use():\n    return OwnBatch.dummy(1, 2)\n", id="called here"),
        pytest.param(NEW, OWN + "\nmake = OwnBatch.dummy\n", id="handed on here"),
        pytest.param(
            NEW, OWN + "\ndef use(batch):\n    return batch.dummy(1, 2)\n", id="called of any object"
        ),
        pytest.param(NEW + "\ndef more(kind):\n    return kind.dummy(1, 2)\n", OWN, id="called of any class"),
        pytest.param(NEW.replace("Batch.dummy(1, 2)", "1"), OWN, id="called by nobody seen"),
        pytest.param(NEW, OWN + "\nimport lib.a\nlib.a.Batch = OwnBatch\n", id="under the name of its base"),
        pytest.param(NEW, OWN + "\nclass More(OwnBatch): ...\nmade = More.dummy(1, 2)\n", id="of a subclass"),
        pytest.param(NEW, OWN.replace("@classmethod", "# made of an object"), id="a method of an object"),
        pytest.param(NEW, OWN.replace("dummy", "other"), id="overrides nothing"),
        pytest.param(NEW, OWN.replace("(Batch)", ""), id="derives from nothing"),
    ],
)
def test_the_override_may_be_called(new: str, own: str) -> None:
    rows = compare(OLD, new, own)
    assert any(row.startswith("parameter-removed lib.a.fill breaks 6") for row in rows)


def test_its_own_call_of_the_base_does_not_reach_it() -> None:
    own = OWN.replace(
        "return fill(size, device)", "super().dummy(size, device)\n        return fill(size, device)"
    )
    (row,) = compare(OLD, NEW, own)
    assert row.startswith("parameter-removed lib.a.fill at-risk 7")
    elsewhere = own + "\n    @classmethod\n    def other(cls):\n        return super().dummy(1, 2)\n"
    assert any(
        row.startswith("parameter-removed lib.a.fill breaks 7") for row in compare(OLD, NEW, elsewhere)
    )
