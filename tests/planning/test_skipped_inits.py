"""Attributes that a constructor sets which ours does not call, from parameters that ours lets through."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

OLD = """\
class Root:
    def __init__(self, size=1):
        self.size = size


class Layer(Root):
    def __init__(self, gate=None, **kwargs):
        super().__init__(**kwargs)
        self.gate = gate

    def run(self):
        return self.gate
"""
NEW = OLD.replace("gate=None, **", "gate=None, shape=DEFAULT, **").replace(
    "        self.gate = gate\n", "        self.gate = gate\n        self._shape = shape\n"
)
MINE = """\
from up.layer import Layer, Root


class Mine(Layer):
    def __init__(self, gate=None, **kwargs):
        Root.__init__(self, **kwargs)
        self.gate = gate
"""


def done(tmp_path: Path, mine: str, default: str) -> str:
    new = NEW.replace("DEFAULT", default).replace("return self.gate", "return self.gate, self._shape")
    more = ({"up/layer.py": OLD}, {"up/layer.py": new})
    return text(migrated(tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"), more=more))


def test_a_parameter_that_ours_lets_through_is_named_here(tmp_path: Path) -> None:
    assert "(self, gate=None, shape=None, **kwargs):\n        Root.__init__(self, **kwargs)\n" \
        "        self.gate = gate\n        self._shape = shape\n" in done(tmp_path, MINE, "None")  # fmt: skip


@pytest.mark.parametrize(
    ("mine", "default"),
    [
        # What the default is made of may mean nothing here.
        (MINE, "Root()"),
        # Behind it stands what callers may pass by its place.
        (MINE.replace("gate=None,", "gate=None, more=1,"), "None"),
        (MINE.replace("gate=None, **kwargs", "gate=None").replace("**kwargs", "1"), "None"),
    ],
)
def test_it_is_not_named_in_doubt(tmp_path: Path, mine: str, default: str) -> None:
    assert "shape" not in done(tmp_path, mine, default)
