"""Attributes that the code gives a value only where it has read them, and that upstream sets no more."""

from __future__ import annotations

import pytest

from syncbot.contracts.attributes.lazy_values import is_set_lazily


@pytest.mark.parametrize(
    ("body", "line", "lazily"),
    [
        ("if self.a is None:\n    self.a = 1", 2, True),
        ("while not self.a:\n    self.a = 1", 2, True),
        ("self.a = self.a or 1", 2, True),
        ("self.a: int = self.a + 1", 2, True),
        ("self.a += 1", 2, True),
        ("if self.a:\n    pass\nelse:\n    self.a = 1", 2, True),
        ("if self.a is None:\n    self.a = 1\nreturn self.a", 4, False),
        ("if self.b is None:\n    self.a = 1", 2, False),
        ("if self.a is None:\n    self.b, self.a = 1, 2", 2, True),
        ("self.b, self.a = 1, 2", 2, False),
        ("if self.a:\n    def set(self):\n        self.a = 1", 2, False),
        ("return self.a", 2, False),
    ],
)
def test_what_stands_behind_a_read(body: str, line: int, lazily: bool) -> None:
    text = "def f(self):\n" + "".join(f"    {each}\n" for each in body.splitlines())
    assert is_set_lazily(text.encode(), line, "a") is lazily


def test_what_cannot_be_read_sets_nothing() -> None:
    assert not is_set_lazily(b"def f(:\n", 1, "a")
