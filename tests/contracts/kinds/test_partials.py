"""Arguments that ``partial`` passes to a method or a class, as to a function."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class C:\n    def __init__(self, a=1, gone=2): ...\n    def m(self, a, gone=2): ...\n"
NEW = "class C:\n    def __init__(self, a=1): ...\n    def m(self, a): ...\n"
HEAD = "from functools import partial\nfrom lib.a import C\n\n\ndef run(c: C, more):\n"


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("partial(c.m, gone=1)", "parameter-removed lib.a.C.m breaks 6 gone"),
        ("partial(C, gone=1)", "parameter-removed lib.a.C.__init__ breaks 6 gone"),
        ("partial(C, 1, 2)", "parameter-removed lib.a.C.__init__ breaks 6 1"),
        ("partial(c.m, **{'gone': 1})", "parameter-removed lib.a.C.m breaks 6 gone"),
    ],
)
def test_what_is_filled_has_to_be_taken(line: str, row: str) -> None:
    assert compare(OLD, NEW, f"{HEAD}    {line}\n") == [row]


@pytest.mark.parametrize("line", ["partial(c.m)", "partial(C, 1)", "partial(C, *more)", "partial(C, **more)"])
def test_what_is_left_to_later_is_not_told(line: str) -> None:
    assert compare(OLD, NEW, f"{HEAD}    {line}\n") == []
