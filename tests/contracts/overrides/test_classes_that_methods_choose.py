"""Constructors that upstream calls by a variable, which a function gave a class."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """class Base:
    def __init__(self, spec, kind): ...
class Factory:
    @classmethod
    def make(cls, spec, kind, config):
        {0}
        return chosen(spec=spec, kind=kind, **config)
    @classmethod
    def kind_of(cls, config) -> type[Base]: ...
"""
OWN = "from lib.a import Base\\nclass Mine(Base):\\n    def __init__(self, spec, kind): ...\\n".replace(
    "\\n", "\n"
)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ("chosen = cls.kind_of(config)", "breaks"),
        ("chosen = load(config)", "at-risk"),
        ("chosen = cls.kind_of(config)\n        chosen = wrapped(chosen)", "at-risk"),
    ],
)
def test_what_is_passed_to_the_class_that_was_chosen(given: str, verdict: str) -> None:
    old = OLD.format(given)
    new = old.replace("kind): ...", "kind, watch=None): ...").replace(
        "kind=kind, **", "kind=kind, watch=1, **"
    )
    rows = compare(old, new, OWN)
    assert rows == [f"parameter-added lib.a.Base.__init__ {verdict} 3 watch"]
