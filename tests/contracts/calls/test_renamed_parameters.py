"""A parameter that has another name now: what upstream's own calls show of it."""

from __future__ import annotations

import pytest

from syncbot.contracts.changes import ArgumentDetails
from tests.contracts.world import findings

OLD = "def make(size: int, deep=0): ...\n\ndef start(n):\n    return make(size=n + 1)\n"
NEW = "def make(blocks: int, deep=0): ...\n\ndef start(n):\n    return make({})\n"
OWN = "from lib.a import make\nmake(size=3)\n"


def precedents(new: str) -> list[str | None]:
    found = [f.details for f in findings(OLD, new, OWN) if f.kind == "parameter-renamed"]
    return [details.precedent for details in found if isinstance(details, ArgumentDetails)]


def test_upstream_passes_the_same_by_the_new_name() -> None:
    assert precedents(NEW.format("blocks=n + 1")) == ["lib.a.start"]


@pytest.mark.parametrize("call", ["blocks=(n + 1) // 16", "n + 1", "blocks=n"])
def test_upstream_passes_something_else(call: str) -> None:
    assert precedents(NEW.format(call)) == [None]


def test_another_function_passes_it() -> None:
    new = NEW.replace("def start", "def begin").format("blocks=n + 1")
    assert precedents(new) == [None]
