"""An attribute that an unpacked result gives is what stands there in the declared result."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """class Info:
    kind: str = ""

class Other:
    size: int = 0

class Registry:
    def inspect(self, name) -> tuple[Info, str]: ...

REGISTRY = Registry()

class Config:
    def __init__(self):
        self.info, self.name = self.registry.inspect(self)

    @property
    def registry(self):
        return REGISTRY
"""
NEW = OLD.replace("kind:", "sort:")
PLUGIN = "from lib.a import Config\n\n\ndef f(c: Config):\n    return c.{}\n"


def test_what_stands_there_is_known() -> None:
    assert compare(OLD, NEW, PLUGIN.format("info.kind")) == [
        "attribute-removed lib.a.Info.kind breaks 5 kind"
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "", id="at another place"),
        pytest.param("tuple[Info, str]", "tuple[Other, str]", id="another class"),
        pytest.param("tuple[Info, str]", "list", id="nobody says"),
        pytest.param("self.info, self.name", "*self.info, self.name", id="a star"),
    ],
)
def test_what_is_something_else_or_not_known(before: str, after: str) -> None:
    old, new = (text.replace(before, after) if before else text for text in (OLD, NEW))
    assert compare(old, new, PLUGIN.format("info.kind" if before else "name.kind")) == []
