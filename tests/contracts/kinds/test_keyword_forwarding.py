"""Keywords that go through functions of the backend to upstream."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
def make(size, mode=None, fast=False):
    return size

class Base:
    def __init__(self, size, mode=None):
        self.size = size
"""
NEW = OLD.replace(", mode=None", "")
FUNCTION = """
from lib.a import make

def mine(size, **kwargs):
    return make(size, **kwargs)

mine(1, mode="x", fast=True)
"""
CLASS = """
from lib.a import Base

class Mine(Base):
    def __init__(self, size, own=1, **kwargs):
        super().__init__(size, **kwargs)

class Deeper(Mine):
    def __init__(self, **options):
        super().__init__(1, own=2, **options)

Mine(1, own=2, mode="x")
Deeper(mode="y")
"""


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        pytest.param(FUNCTION, ["parameter-removed lib.a.make breaks 6 mode"], id="function"),
        pytest.param(
            CLASS,
            [
                "parameter-removed lib.a.Base.__init__ breaks 11 mode",
                "parameter-removed lib.a.Base.__init__ breaks 12 mode",
            ],
            id="constructors, one through another",
        ),
        pytest.param(
            {
                "plugin/a.py": FUNCTION.replace('mine(1, mode="x", fast=True)', ""),
                "plugin/b.py": "from plugin.a import mine\n\nmine(1, mode=2)\n",
            },
            ["parameter-removed lib.a.make breaks 3 mode"],
            id="called in another module",
        ),
    ],
)
def test_a_keyword_that_upstream_takes_no_longer(backend: str | dict[str, str], expected: list[str]) -> None:
    assert compare(OLD, NEW, backend) == expected


@pytest.mark.parametrize(
    "backend",
    [
        pytest.param(FUNCTION.replace('mode="x", ', ""), id="nobody passes it"),
        pytest.param(FUNCTION.replace("mine(size, **", "mine(size, mode=None, **"), id="taken on the way"),
        pytest.param(
            FUNCTION.replace("    return", '    kwargs.pop("mode")\n    return'), id="taken out on the way"
        ),
        pytest.param(FUNCTION.replace("    return", "    kwargs = {}\n    return"), id="bound anew"),
        pytest.param(FUNCTION.replace("make(size, **kwargs)", "make(size)"), id="not handed on"),
        pytest.param(FUNCTION.replace("from lib.a", "from other"), id="handed to another package"),
    ],
)
def test_keywords_that_do_not_arrive(backend: str) -> None:
    assert compare(OLD, NEW, backend) == []


def test_a_callable_that_takes_any_keyword() -> None:
    assert compare(OLD, NEW.replace("fast=False", "**rest"), FUNCTION) == []
