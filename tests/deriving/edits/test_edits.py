"""Every kind of edit: what it makes, and where it must not match."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst
import pytest
from pydantic import ValidationError

from syncbot.deriving import registry
from syncbot.deriving.places import normal
from syncbot.errors import ConfigurationError
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.node_text import code

FUNCTION = '''\
def run(self, size: int, fast: bool = False) -> int:
    """Runs."""
    # Why.
    self.size = size  # kept
    if self.graphs and fast:
        self.capture(size)
    elif fast:
        self.warm()
    else:
        device.sync()
    for each in range(size):
        device.sync()
        total = device.count(each, sync=True)
    return total
'''
CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("replace_call", {"call": "device.sync", "by": "None"}, "device.sync()", "None"),
    (
        "replace_call",
        {"call": "device.count(each,sync=True)", "by": "1"},
        "device.count(each, sync=True)",
        "1",
    ),
    ("swap_name", {"old": "device", "new": "other.npu"}, "device.", "other.npu."),
    ("swap_name", {"old": "device.sync", "new": "wait"}, "device.sync", "wait"),
    (
        "replace_statement",
        {"statement": "self.size = (size)", "code": "self.size = 2 * size"},
        "    # Why.\n    self.size = size  # kept\n",
        "    self.size = 2 * size\n",
    ),
    ("replace_statement", {"statement": "return total"}, "    return total\n", ""),
    (
        "insert_before",
        {"statement": "return total", "code": "# One more.\ntotal += 1"},
        "    return total\n",
        "    # One more.\n    total += 1\n    return total\n",
    ),
    (
        "insert_after",
        {"statement": "self.warm()", "code": "if size:\n    self.warm(size)"},
        "        self.warm()\n",
        "        self.warm()\n        if size:\n            self.warm(size)\n",
    ),
    (
        "drop_branch",
        {"test": "self.graphs and fast"},
        "    if self.graphs and fast:\n        self.capture(size)\n    elif fast:\n",
        "    if fast:\n",
    ),
    (
        "drop_branch",
        {"test": "self.graphs and fast", "drop": "else"},
        FUNCTION[FUNCTION.index("    if self.graphs") : FUNCTION.index("    for each")],
        "    self.capture(size)\n",
    ),
]
NOWHERE: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("replace_call", {"call": "device", "by": "None"}, NoMatch, "does not call device"),
    (
        "replace_call",
        {"call": "device.count(each)", "by": "1"},
        NoMatch,
        r"does not call device.count\(each\)",
    ),
    # An attribute, a keyword and a parameter of that name are other names.
    ("swap_name", {"old": "sync", "new": "wait"}, NoMatch, "does not name sync"),
    ("swap_name", {"old": "int", "new": "float"}, NoMatch, "does not name int"),
    ("replace_statement", {"statement": "self.size = sizes"}, NoMatch, "does not hold 'self.size = sizes'"),
    ("replace_statement", {"statement": "device.sync()"}, CannotRewrite, r"'device.sync\(\)' 2 times"),
    ("insert_before", {"statement": "return", "code": "pass"}, NoMatch, "does not hold 'return'"),
    ("insert_after", {"statement": "device.sync()", "code": "pass"}, CannotRewrite, "2 times"),
    ("drop_branch", {"test": "self.graphs"}, NoMatch, "no branch on self.graphs"),
]


def function(text: str) -> cst.FunctionDef:
    return cst.ensure_type(cst.parse_module(text).body[0], cst.FunctionDef)


@pytest.mark.parametrize(("name", "arguments", "before", "after"), CASES)
def test_an_edit_changes_its_place_and_no_other_byte(
    name: str, arguments: dict[str, Any], before: str, after: str
) -> None:
    edited = code(registry.find(name).model_validate(arguments).applied(function(FUNCTION)))
    assert before in FUNCTION
    assert edited == FUNCTION.replace(before, after)
    ast.parse(edited)


@pytest.mark.parametrize(("name", "arguments", "error", "says"), NOWHERE)
def test_an_edit_that_finds_no_place_says_so(
    name: str, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        registry.find(name).model_validate(arguments).applied(function(FUNCTION))


def test_a_block_that_loses_all_it_holds_is_still_python() -> None:
    text = "def run(self):\n    if self.a:\n        if self.b:\n            self.c()\n"
    edit = registry.find("drop_branch").model_validate({"test": "self.b"})
    assert code(edit.applied(function(text))) == "def run(self):\n    if self.a:\n        pass\n"
    gone = registry.find("replace_statement").model_validate({"statement": "self.c()"})
    assert code(gone.applied(function(text))).endswith("if self.b:\n            pass\n")


def test_every_edit_has_a_case_of_both_kinds() -> None:
    assert {case[0] for case in CASES} == {case[0] for case in NOWHERE} == set(registry.edits())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("replace_call", {"call": "f(", "by": "None"}),
        ("insert_after", {"statement": "if x:", "code": "pass"}),
        ("swap_name", {"old": "a b", "new": "c"}),
    ],
)
def test_what_is_no_python_is_refused_at_once(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        registry.find(name).model_validate(arguments)


def test_an_unknown_edit_names_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match="the nearest is 'swap_name'"):
        registry.find("swap_names")


def test_layout_quotes_and_comments_do_not_count() -> None:
    assert normal('x = f(\n  "a",  # b\n)') == normal("x = f('a')") != normal("x = f('b')")
