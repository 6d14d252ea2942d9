"""Calls of partial functions, and what they give."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class C:\n    gone = 1\n    def __init__(self, x=1): ...\ndef f(x, gone=1): ...\n"
NEW = "class C:\n    def __init__(self, x=1): ...\ndef f(x): ...\n"
HEAD = "from functools import partial\nfrom lib.a import C, f\n"
CLASS = "class Own:\n    def __init__(self):\n        self.h = partial(f, 1)\n    def run(self):\n"


def _told(text: str) -> list[str]:
    rows = compare(OLD, NEW, HEAD + text)
    return [" ".join(row.split()[1:3]).removeprefix("lib.a.") for row in rows]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("h = partial(f, 1)\ndef run():\n    h(gone=2)\n", "f breaks"),
        ("def run():\n    h = partial(f, 1)\n    h(gone=2)\n", "f breaks"),
        ("def run():\n    partial(f, 1)(2)\n", "f breaks"),
        (f"{CLASS}        self.h(gone=2)\n", "f breaks"),
        ("make = partial(C, 1)\ndef run():\n    make().gone\n", "C.gone breaks"),
        ("make = partial(C, 1)\ndef run():\n    c = make()\n    c.gone\n", "C.gone breaks"),
    ],
)
def test_what_completes_it_has_to_be_taken(text: str, told: str) -> None:
    assert _told(text) == [told]


@pytest.mark.parametrize(
    "text",
    [
        "h = partial(f, 1)\ndef run(h):\n    h(gone=2)\n",
        "h = partial(f, 1)\ndef begin():\n    global h\n    h = wrap(f)\ndef run():\n    h(gone=2)\n",
        "def run(k):\n    h = partial(f, 1)\n    if k:\n        h = wrap(f)\n    h(gone=2)\n",
        "h = partial(wrap(f), 1)\ndef run():\n    h(gone=2)\n",
        f"{CLASS}        self.h(gone=2)\n    def set(self, h):\n        self.h = h\n",
        f"{CLASS}        self.h()\n",
    ],
)
def test_what_may_be_another_one_or_fits(text: str) -> None:
    assert _told(text) == []


def test_what_is_filled_is_told_where_it_is_filled() -> None:
    assert compare(OLD, NEW, f"{HEAD}def run():\n    h = partial(f, gone=1)\n    h(1)\n") == [
        "parameter-removed lib.a.f breaks 4 gone"
    ]
