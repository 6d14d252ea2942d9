"""One of our statements as the beginning of a rewrite."""

from __future__ import annotations

import pytest

from syncbot.patching.statement_draft import LONGEST, sketch

TEXT = """\
import a
from up.extra import (
    one,
    two,
)


class Mine:
    @one
    def run(self, x):
        try:
            self.x = two(
                x,
            )
        except ValueError:
            self.y = one(x)
        self.y = one(x)
        return 1; return 2

    def other(self):
        self.y = one(1)
        if self.y:
            self.y = one(1)
        return self.y


x = a.b
"""


def line(text: str) -> int:
    return next(n for n, each in enumerate(TEXT.splitlines(), 1) if text in each)


@pytest.mark.parametrize(
    ("at", "within", "before"),
    [
        ("one,", None, "from up.extra import (\n    one,\n    two,\n)"),
        ("x = a.b", None, "x = a.b"),
        ("two(", "Mine.run", "self.x = two(\n    x,\n)"),
        # Twice there, so that more of what is around it says which.
        ("self.y = one(x)", "Mine.run", "try:\n    self.x = two(\n        x,\n    )\n"
         "except ValueError:\n    self.y = one(x)"),
        ("if self.y", "Mine.other", "if self.y:\n    self.y = one(1)"),
        ("def other", "Mine", "def other(self):\n    self.y = one(1)\n    if self.y:\n        self.y = one(1)\n"
         "    return self.y"),
        ("self.y = one(1)", "Mine", "def other(self):\n    self.y = one(1)\n    if self.y:\n"
         "        self.y = one(1)\n    return self.y"),
    ],
)  # fmt: skip
def test_the_smallest_statement_that_names_one_place(at: str, within: str | None, before: str) -> None:
    rule = sketch(TEXT, "src/mine.py", line(at), TEXT)
    assert rule is not None
    assert (rule.file, rule.within, rule.before, rule.after) == ("src/mine.py", within, before, before)


def test_there_is_none_where_nothing_can_be_named() -> None:
    assert sketch(TEXT, "src/mine.py", 6, TEXT) is None
    assert sketch("def f(:\n", "src/mine.py", 1, "def f(:\n") is None
    # Another state of the file does not hold it.
    assert sketch(TEXT, "src/mine.py", line("x = a.b"), "y = 1\n") is None
    long = "def f():\n" + "    x()\n" * LONGEST
    assert sketch(long, "src/mine.py", 1, long) is None


def test_line_ends_of_the_file_do_not_matter() -> None:
    text = "def f():\r\n    return g(\r\n        1)\r\n"
    rule = sketch(text, "src/mine.py", 2, text)
    assert rule is not None
    assert rule.before == "return g(\n    1)"


def test_syntax_that_this_python_does_not_read() -> None:
    text = "type A[T] = list[T]\n\n\ndef f[T](x: T):\n    y = x\n    return y\n"
    rule = sketch(text, "a.py", 5, text)
    assert rule is not None
    assert (rule.within, rule.before) == ("f", "y = x")
    assert sketch(text.replace("y = x", "y = = x"), "a.py", 5, text) is None
