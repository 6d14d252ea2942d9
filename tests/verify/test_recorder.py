"""Notes of the recorder on processes that call a plugin, with the interpreter of the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from syncbot.verify.recording import recorder
from syncbot.verify.recording.recorded_run import Recording, read_notes

PLUGIN = """
import enum

class Mode(enum.Enum):
    FAST = 1

class Base:
    def given(self, a, *rest, b=None, **more):
        return self.inner()
    def inner(self):
        return [self.own for _ in range(2)]
    @property
    def own(self):
        return 1
    def steps(self, n):
        n = "changed"
        yield n
        yield n
    def never(self):
        raise AssertionError
"""
UPSTREAM = """
import functools

class Engine:
    def run(self):
        from plugin import Base, Mode
        base = Base()
        base.given(1, "x", b=True, c=[1.0], d=Mode.FAST)
        base.given(None, b=False)
        [base.given(0) for _ in range(2)]
        functools.reduce(lambda a, b: base.given((), b=Mode), [1, 2])
        list(base.steps(3))

def start():
    Engine().run()
"""


def watched(folder: Path, program: str, **modules: str) -> Recording:
    """Run a program with the recorder and return its notes."""
    (folder / "sitecustomize.py").write_bytes(Path(recorder.__file__).read_bytes())
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    notes = folder / "notes"
    notes.touch()
    told = json.dumps({"file": str(notes), "upstream": ["upstream"], "plugin": ["plugin"]})
    environment = os.environ | {"PYTHONPATH": str(folder), recorder.VARIABLE: told}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    return read_notes(notes.read_text().splitlines(), {})


@pytest.fixture
def found(tmp_path: Path) -> Recording:
    return watched(tmp_path, "import upstream; upstream.start()", upstream=UPSTREAM, plugin=PLUGIN)


def test_callers_are_functions_of_upstream_through_other_packages_and_comprehensions(
    found: Recording,
) -> None:
    assert found.called.keys() == {"plugin:Base.given", "plugin:Base.steps"}
    assert found.called["plugin:Base.given"].callers == {"upstream:Engine.run"}
    assert found.led == {"upstream:Engine.run": {"upstream:start"}}


def test_what_the_plugin_calls_itself_runs_and_what_nobody_calls_does_not(found: Recording) -> None:
    assert {"plugin:Base.inner", "plugin:Base.own", "plugin:Base.given"} <= found.ran
    assert "plugin:Base.never" not in found.ran
    # Neither bodies of classes nor comprehensions are functions.
    assert "plugin:Base" not in found.ran
    assert not [name for name in found.ran if "<" in name]


def test_arguments_are_kinds_of_values(found: Recording) -> None:
    given = found.called["plugin:Base.given"].arguments
    assert given == {
        "a": {"int", "None", "tuple"},
        "rest[0]": {"str"},
        "b": {"True", "False", "None", "class Mode"},
        "c": {"list of float"},
        "d": {"Mode.FAST"},
    }
    # A generator is entered again, when its names have other values.
    assert found.called["plugin:Base.steps"].arguments == {}


def test_the_same_run_leaves_the_same_notes_and_forked_processes_share_them(tmp_path: Path) -> None:
    forked = "import os, upstream\nif os.fork() == 0:\n    upstream.start()\n    os._exit(0)\nos.wait()"
    runs: list[Any] = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        runs.append(watched(folder, forked, upstream=UPSTREAM, plugin=PLUGIN))
    assert runs[0] == runs[1]
    assert runs[0].called


def test_nothing_is_watched_before_the_plugin_is_imported(tmp_path: Path) -> None:
    found = watched(tmp_path, "import sys; assert sys.getprofile() is None", plugin=PLUGIN)
    assert found == Recording()


def test_dimensions_with_several_values_are_n_over_all_processes() -> None:
    lines = [
        json.dumps(["called", "plugin:f", "upstream:g"]),
        *(json.dumps(["argument", "plugin:f", "x", "float32 on npu", [size, 64]]) for size in (1, 5)),
        json.dumps(["argument", "plugin:f", "x", "float32 on npu", [2, 2, 64]]),
        json.dumps(["operator", "npu::o"]),
        *(json.dumps(["input", "npu::o", "mode", "int", [value]]) for value in ("3", "n")),
        json.dumps(["input", "npu::o", "layout", "str", ["TND"]]),
        json.dumps(["input", "npu::o", "weights", "list of int8 on cpu", [4]]),
        '["called", "plugin:cut',
    ]
    found = read_notes(lines, {"o": 26, "p": 13, "never": 0, "wrong": "2"})
    assert found.called["plugin:f"].arguments == {"x": {"float32[n,64] on npu", "float32[2,2,64] on npu"}}
    assert found.operators["npu::o"].arguments == {
        "mode": {"int n"},
        "layout": {"str TND"},
        "weights": {"list of int8[4] on cpu"},
    }
    assert found.counts == {"o": 2, "p": 1}
