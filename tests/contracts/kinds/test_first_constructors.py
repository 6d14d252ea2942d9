"""Classes that have their first constructor of their own."""

from __future__ import annotations

import pytest

from tests.contracts.compare import text
from tests.contracts.world import compare

OLD = "import torch\n\n\nclass Part(torch.nn.Module):\n    def forward(self): ...\n"
NEW = OLD.replace("    def f", "    def __init__(self, size): ...\n    def f")
MAKES = "from lib.a import Part\n\n\ndef make():\n    return Part()\n"
TOLD = "parameter-required lib.a.Part.__init__ breaks 5 size"


def test_the_first_constructor_requires_something() -> None:
    assert compare(OLD, NEW, MAKES) == [TOLD]


def test_it_may_be_that_of_a_base() -> None:
    base = NEW.replace("Part(", "Base(") + "\n\nclass Part(Base): ...\n"
    assert compare(OLD, base, MAKES) == [TOLD.replace("Part.__init__", "Base.__init__")]


@pytest.mark.parametrize(
    ("new", "makes"),
    [
        pytest.param(NEW, MAKES.replace("Part()", "Part(1)"), id="passed"),
        pytest.param(NEW, MAKES.replace("Part()", "Part(size=1)"), id="passed by name"),
        pytest.param(NEW, MAKES.replace("Part()", "Part(*sizes)"), id="passed unseen"),
        pytest.param(NEW.replace("size)", "size=1)"), MAKES, id="optional"),
        pytest.param(OLD + "    def build(self, size): ...\n", MAKES, id="still none"),
        pytest.param(NEW, MAKES.replace("Part()", "Part.forward"), id="not made"),
    ],
)
def test_what_is_made_as_before(new: str, makes: str) -> None:
    assert compare(OLD, new, makes) == []


OWN = """
    import torch
    from lib.a import Part


    class Mine(Part, torch.nn.Module): ...


    def make():
        return Mine()
"""


def test_a_class_of_ours_inherits_it() -> None:
    assert compare(OLD, NEW, text(OWN)) == ["parameter-required lib.a.Part.__init__ breaks 9 size"]


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(OWN.replace("Mine()", "Mine(1)"), id="passed"),
        pytest.param(OWN.replace(": ...", ":\n        def __init__(self): ..."), id="its own"),
        pytest.param(OWN.replace("Part, torch.nn.Module", "other.Base, Part"), id="that of a base outside"),
    ],
)
def test_a_class_of_ours_has_another_one(own: str) -> None:
    assert compare(OLD, NEW, text(own)) == []
