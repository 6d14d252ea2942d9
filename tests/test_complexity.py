"""No function of syncbot has more ways through it than grade C of radon allows, but for a few with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from radon.complexity import cc_visit

ROOT = Path(__file__).parents[1]
MOST = 20  # the end of radon's grade C

# What may stay above, as "path: function", and why. At most ten.
ALLOWED = {
    "planning/own_calls.py: gained": "one way for each shape in which a call can take the parameter",
    "planning/kept_definitions.py: imports_of": "one way for each kind of name that a kept piece may read",
    "planning/values_through_objects.py: passed_by_owner": "conditions of one proof, each ends it",
    "planning/answers/tuples_to_classes.py: _fields": "conditions under which two shapes are the same",
    "planning/answers/upstream_readers.py: _differing": "two trees walked together, a way for each kind of node",
    "planning/answers/kept_members.py: _attribute": "conditions under which an attribute may be set here",
    "planning/answers/stand_ins.py: accepting": "conditions under which a function may take a parameter",
    "planning/answers/kept_globals.py: _variable": "conditions under which a variable may be made here",
    "lanes/update.py: plan": "the steps of one plan, each with what it may lack",
}


def complex_functions(source: str) -> dict[str, int]:
    """Return the functions and methods of a source that have more than MOST ways through them."""
    blocks = (block for block in cc_visit(source) if block.letter != "C")
    return {block.fullname: block.complexity for block in blocks if block.complexity > MOST}


@pytest.mark.long
def test_functions_are_no_more_complex_than_grade_c() -> None:
    files = sorted((ROOT / "syncbot").rglob("*.py"))
    found = {
        f"{file.relative_to(ROOT / 'syncbot').as_posix()}: {name}"
        for file in files
        for name in complex_functions(file.read_text(encoding="utf-8"))
    }
    assert len(files) > 100
    assert found - ALLOWED.keys() == set(), "divide them"
    assert ALLOWED.keys() - found == set(), "mended: take them out of the list"
    assert len(ALLOWED) <= 10


def test_a_complex_method_is_found_and_a_plain_one_is_not() -> None:
    branches = "".join(f"        if x == {i}:\n            return {i}\n" for i in range(MOST))
    source = f"class A:\n    def many(self, x):\n{branches}\n    def one(self, x):\n        return x\n"
    assert complex_functions(source) == {"A.many": MOST + 1}
    assert complex_functions(source.replace("        if x == 0:\n            return 0\n", "")) == {}
