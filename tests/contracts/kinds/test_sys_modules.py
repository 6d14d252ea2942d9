"""Upstream modules that the backend replaces as a whole."""

from __future__ import annotations

import pytest

from tests.contracts.world import Files, compare

OLD = {"lib/a.py": "def f():\n    return 1\n", "lib/b.py": "from lib.a import f\n"}
ENTRY = "import sys\n\nsys.modules['lib.a'] = object()\n"
OWN = {
    "plugin/__init__.py": "import sys\n\nfrom plugin import own\n\nsys.modules['lib.a'] = own\n",
    "plugin/own.py": "def f():\n    return 2\n",
}


@pytest.mark.parametrize(
    ("new", "backend", "expected"),
    [
        pytest.param({"lib/b.py": ""}, ENTRY, ["module-entry-unused lib.a breaks 3"], id="module gone"),
        pytest.param(
            {**OLD, "lib/b.py": "from lib.a import f, g\n"},
            OWN,
            ["module-name-missing lib.a breaks 5 g"],
            id="upstream imports more of it",
        ),
        pytest.param(
            {**OLD, "lib/c.py": "def later():\n    from .a import g\n"},
            OWN,
            ["module-name-missing lib.a breaks 5 g"],
            id="relative and later",
        ),
    ],
)
def test_entries(new: Files, backend: Files, expected: list[str]) -> None:
    assert compare(OLD, new, backend) == expected


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param({**OLD, "lib/b.py": "from lib.a import f, g\n"}, ENTRY, id="nobody knows what it has"),
        pytest.param({**OLD, "lib/c.py": "from lib.a import f\n"}, OWN, id="a name that it has"),
        pytest.param({**OLD, "lib/a.py": "def f():\n    return 3\n"}, OWN, id="only the module changed"),
        pytest.param({"lib/b.py": ""}, ENTRY.replace("lib.a", "other.a"), id="another package"),
    ],
)
def test_entries_that_still_serve(new: Files, backend: Files) -> None:
    assert compare(OLD, new, backend) == []


RUNNER = """
class Runner:
    def run(self, batch): ...

def make(size): ...
"""
WORKER = """
from lib.a import Runner

class Worker:
    def __init__(self):
        self.runner = Runner()

    def work(self):
        self.runner.run(1)
"""
PAIR = {"lib/a.py": RUNNER, "lib/b.py": WORKER}
INSTEAD = {**OWN, "plugin/own.py": RUNNER}
TAKES = RUNNER.replace("batch)", "batch, step=0)")
RUNS = WORKER + "        self.runner.stop()\n"
STOPS = RUNNER.replace("\ndef make", "    def stop(self): ...\n\ndef make")
INNER = RUNNER.replace("\ndef make", "    def _in(self):\n        return 1, 2\n\ndef make")


@pytest.mark.parametrize(
    ("new", "told"),
    [
        pytest.param(
            {"lib/a.py": TAKES, "lib/b.py": WORKER.replace("run(1)", "run(1, step=2)")},
            ["parameter-added lib.a.Runner.run breaks 5 step"],
            id="passed more",
        ),
        pytest.param(
            {"lib/a.py": STOPS, "lib/b.py": RUNS}, ["method-left-open lib.a.Runner.stop breaks 5 stop"],
            id="asked for another method",
        ),
        pytest.param(
            {"lib/a.py": RUNNER.replace("size)", "length)"), "lib/b.py": WORKER + "make(length=1)\n"},
            ["parameter-renamed lib.a.make breaks 5 length"],
            id="a function",
        ),
    ],
)  # fmt: skip
def test_classes_and_functions_of_the_replacement(new: Files, told: list[str]) -> None:
    assert compare(PAIR, new, INSTEAD) == told


def test_keys_that_a_loop_goes_through() -> None:
    entry = "import sys\nfrom plugin import own\n\nfor key in ('lib.a', 'lib.gone'):\n    sys.modules[key] = own\n"
    told = compare(PAIR, {"lib/a.py": STOPS, "lib/b.py": RUNS}, {**INSTEAD, "plugin/__init__.py": entry})
    assert told == ["method-left-open lib.a.Runner.stop breaks 5 stop"]


def test_what_stands_in_for_a_class_in_a_test_need_not_have_it() -> None:
    mock = "from lib import a\n\n\nclass Fake:\n    def run(self, batch): ...\n\n\na.Runner = Fake\n"
    new = {"lib/a.py": STOPS, "lib/b.py": RUNS}
    assert compare(PAIR, new, {"plugin/__init__.py": mock}) == [
        "method-left-open lib.a.Runner.stop breaks 8 stop"
    ]
    assert compare(PAIR, new, {"tests/test_a.py": mock}) == []


@pytest.mark.parametrize(
    ("new", "own"),
    [
        pytest.param({"lib/a.py": STOPS, "lib/b.py": WORKER}, RUNNER, id="nobody calls it"),
        pytest.param({"lib/a.py": STOPS, "lib/b.py": RUNS}, STOPS, id="ours has it"),
        pytest.param(
            {"lib/a.py": STOPS, "lib/b.py": RUNS},
            RUNNER.replace("\ndef make", "    def __getattr__(self, name): ...\n\ndef make"),
            id="ours answers",
        ),
        pytest.param(
            {"lib/a.py": INNER.replace("1, 2", "1, 2, 3"), "lib/b.py": WORKER}, INNER,
            id="what it calls of itself alone",
        ),
        pytest.param({"lib/a.py": STOPS, "lib/b.py": RUNS}, "class Other: ...\n", id="another class"),
    ],
)  # fmt: skip
def test_replacements_that_serve(new: Files, own: str) -> None:
    old = {**PAIR, "lib/a.py": INNER} if own == INNER else PAIR
    told = compare(old, new, {**INSTEAD, "plugin/own.py": own})
    assert [line for line in told if "module-name-missing" not in line] == []
