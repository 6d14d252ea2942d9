"""Constructors that upstream calls by what is declared to hold a class."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Parser:
    def __init__(self, text{more}): ...


class Plain(Parser):
    def __init__(self, text{more}): ...


class Other:
    def __init__(self, text, tools=None): ...


{caller}
"""
PARAMETER = "def run(parser: type[Parser] | None, text):\n    return parser(text{given})\n"
ATTRIBUTE = """
class Service:
    parser: type[Parser]

    def run(self, text):
        return self.parser(text{given})
"""
QUOTED = 'def run(parser: "type[Parser]", text):\n    return parser(text{given})\n'
MINE = "from lib.a import Parser\n\n\nclass Mine(Parser):\n    def __init__(self, text): ...\n"
PATCH = "from lib.a import Plain\n\n\ndef made(self, text): ...\n\n\nPlain.__init__ = made\n"


def _lib(caller: str, more: str, given: str) -> str:
    return LIB.format(caller=caller.format(given=given), more=more)


@pytest.mark.parametrize("given", [", 1", ", tools=1"])
@pytest.mark.parametrize("caller", [PARAMETER, ATTRIBUTE, QUOTED])
def test_the_class_that_is_held_is_made_with_more(caller: str, given: str) -> None:
    old, new = _lib(caller, "", ""), _lib(caller, ", tools=None", given)
    assert compare(old, new, MINE) == ["parameter-added lib.a.Parser.__init__ breaks 5 tools"]
    assert compare(old, new, PATCH) == ["parameter-added lib.a.Plain.__init__ breaks 7 tools"]


@pytest.mark.parametrize(
    ("caller", "given", "backend"),
    [
        pytest.param(PARAMETER, "", MINE, id="passes no more"),
        pytest.param(PARAMETER.replace("Parser", "Other"), ", 1", MINE, id="another class"),
        pytest.param(PARAMETER.replace("type[Parser]", "Parser"), ", 1", MINE, id="an object of it"),
        pytest.param(PARAMETER.replace("parser(", "print("), ", 1", MINE, id="another function"),
        pytest.param(PARAMETER, ", 1", MINE.replace("text)", "text, *more)"), id="takes it"),
        pytest.param(PARAMETER.replace("Parser", "Other"), ", 1", PATCH, id="a patch of another class"),
    ],
)
def test_what_does_not_reach_ours(caller: str, given: str, backend: str) -> None:
    old, new = _lib(caller, "", ""), _lib(caller, ", tools=None", given)
    assert [row for row in compare(old, new, backend) if "breaks" in row] == []
