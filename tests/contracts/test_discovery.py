"""Backend files that cannot be read or walked: the others are still looked at, and these are named."""

from __future__ import annotations

import pytest

from syncbot.contracts.discovery import discover
from syncbot.contracts.model import Contract
from syncbot.contracts.sources import in_memory
from tests.contracts.world import comparison

UPSTREAM = {"lib/__init__.py": "", "lib/a.py": "def f(): ...\n"}
GOOD = "from lib.a import f\n"

DEEP = {
    "attributes": "x = a" + ".b" * 2000 + "\n",
    "sum": "def f(a):\n    return " + " + ".join(["a"] * 2500) + "\n",
    "elif": "if x == 0: ...\n" + "".join(f"elif x == {i}: ...\n" for i in range(1, 2500)),
    "annotation": "def f(a: " + "b | " * 2000 + "c): ...\n",
}
BROKEN = {
    "syntax": "from lib.a import (\n",
    "null byte": "x = '\0'\n",
    "encoding": "# coding: nonsense\n",
}


def found(texts: dict[str, str]) -> tuple[list[Contract], dict[str, str]]:
    backend = in_memory({f"plugin/{name}.py": text for name, text in texts.items()})
    problems: dict[str, str] = {}
    universe = comparison(UPSTREAM, UPSTREAM, backend).old
    return discover(backend, universe, ("lib",), problems=problems), problems


@pytest.mark.parametrize("name", DEEP)
def test_a_file_nested_too_deeply_is_named(name: str) -> None:
    contracts, problems = found({"a_first": GOOD, "deep": GOOD + DEEP[name], "last": GOOD})
    assert {c.place.location.file for c in contracts} == {"plugin/a_first.py", "plugin/last.py"}
    assert list(problems) == ["plugin/deep.py"]
    assert "recursion" in problems["plugin/deep.py"]


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_does_not_parse_hides_no_other(name: str) -> None:
    contracts, problems = found({"a_first": GOOD, "broken": BROKEN[name], "last": GOOD})
    assert {c.place.location.file for c in contracts} == {"plugin/a_first.py", "plugin/last.py"}
    assert problems == {}  # its interface table tells why


def test_deep_but_not_too_deep() -> None:
    text = GOOD + "x = " + " and ".join(["a"] * 5000) + "\ny = " + "[" * 80 + "]" * 80 + "\n"
    contracts, problems = found({"deep": text})
    assert [c.symbol for c in contracts if c.kind == "import"] == ["lib.a.f"]
    assert problems == {}
