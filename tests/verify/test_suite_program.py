"""The program that runs files of tests, as it stands in the folder of a run: without the rest of syncbot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from syncbot.verify.suite.outcomes import FileOutcome, noted
from syncbot.verify.suite.run import program_files
from tests.project_texts import write

PLUGIN = """\
import functools


def compiled(function):
    assert "__syncbot_ran__" not in function.__code__.co_names
    return function


def plain():
    "A text."
    return 1


def other():
    return plain()


@compiled
def foreign():
    return 2


class Thing:
    def step(self):
        return 3

    @property
    def size(self):
        return 4

    if True:
        def twice(self):
            return 5
    def twice(self):
        return 6
"""
TESTS = {
    "plugin/__init__.py": "",
    "plugin/mine.py": PLUGIN,
    "plugin/more.py": "def never():\n    pass\n",
    "tests/__init__.py": "",
    "tests/conftest.py": "import plugin.mine\n",
    "tests/test_a.py": "from plugin.mine import Thing, other\n\ndef test_other():\n    assert other() == 1\n\ndef test_size():\n    assert Thing().size + Thing().twice() == 10\n",
    "tests/test_b.py": "import plugin.more\n\ndef test_nothing():\n    pass\n",
    "tests/test_broken.py": "import nowhere\n",
    "tests/test_leaves.py": "import os\n\ndef test_leaves():\n    print('these are the last words', flush=True)\n    os._exit(9)\n\ndef test_behind():\n    pass\n",
    "tests/test_ends_early.py": "import os\nos._exit(3)\n",
}


def run(folder: Path, files: dict[str, str], **options: Any) -> dict[str, FileOutcome]:
    """Run the program and return its notes on each file of tests."""
    write(folder / "tree", files)
    for path, content in program_files().items():
        target = folder / "program" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for name in ("results", "logs"):
        (folder / name).mkdir(exist_ok=True)
    names = sorted(path for path in files if path.rpartition("/")[2].startswith("test_"))
    task = {
        "root": str(folder / "tree"), "files": names, "folders": ["tests"], "processes": 2, "prepare": "",
        "results": str(folder / "results"), "logs": str(folder / "logs"), "preload": ["tests.conftest"],
        "recorded": ["plugin"], "seconds": 30, "idle": 60, "arguments": [], **options,
    }  # fmt: skip
    (folder / "task.json").write_text(json.dumps(task))
    command = [sys.executable, str(folder / "program" / "start.py"), str(folder / "task.json")]
    subprocess.run(
        command, check=True, capture_output=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    )
    found = (folder / "results").glob("*.jsonl")
    return {
        "/".join(file.name.removesuffix(".jsonl").split("%2F")): noted(file.read_text().splitlines())
        for file in found
    }


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FileOutcome]:
    return run(tmp_path_factory.mktemp("suite"), TESTS)


def test_each_file_is_done_and_each_test_has_an_outcome(outcomes: dict[str, FileOutcome]) -> None:
    assert all(each.done for each in outcomes.values())
    assert {
        test.node.removeprefix("tests/"): test.outcome for each in outcomes.values() for test in each.tests
    } == {
        "test_a.py::test_other": "pass",
        "test_a.py::test_size": "pass",
        "test_b.py::test_nothing": "pass",
        "test_broken.py": "error",
        "test_ends_early.py": "crash",
        "test_leaves.py::test_leaves": "crash",
        "test_leaves.py::test_behind": "pass",
    }


def test_causes_name_what_happened(outcomes: dict[str, FileOutcome]) -> None:
    causes = {test.node: test.cause for each in outcomes.values() for test in each.tests if test.cause}
    broken = causes["tests/test_broken.py"]
    assert (broken.type, broken.message) == ("ModuleNotFoundError", "No module named 'nowhere'")
    assert [(frame.file, frame.line) for frame in broken.frames][-1:] == [("tests/test_broken.py", 1)]
    assert causes["tests/test_ends_early.py"].message.startswith("the process ended with code 3")


def test_what_ran_is_noted_and_what_did_not_is_not(outcomes: dict[str, FileOutcome]) -> None:
    ran = outcomes["tests/test_a.py"].executed
    # What a decorator may compile counts as if it ran, and so does the import of every module.
    assert ran == {
        "plugin/__init__.py": (),
        "plugin/mine.py": ("Thing.size", "Thing.twice#2", "compiled", "foreign", "other", "plain"),
    }
    assert outcomes["tests/test_b.py"].executed == {
        "plugin/__init__.py": (),
        "plugin/mine.py": ("compiled", "foreign"),
        "plugin/more.py": (),
    }


def test_a_test_that_waits_for_ever_is_ended(tmp_path: Path) -> None:
    files = {
        "tests/conftest.py": "",
        "tests/test_waits.py": "import time\n\ndef test_waits():\n    time.sleep(300)\n\ndef test_behind():\n    pass\n",
    }
    (found,) = run(tmp_path, files, idle=2).values()
    assert [(test.outcome, test.cause and test.cause.message) for test in found.tests] == [
        ("over", "used no processor time for 2 s"),
        ("pass", None),
    ]
    cause = found.tests[0].cause
    assert cause is not None
    assert (cause.frames[-1].file, cause.frames[-1].function) == ("tests/test_waits.py", "test_waits")


def test_what_is_done_is_not_run_again(tmp_path: Path) -> None:
    counted = "import os\n\ndef test_counts():\n    with open(os.environ['COUNTER'], 'a') as file:\n        file.write('x')\n"
    os.environ["COUNTER"] = str(tmp_path / "counter")
    try:
        for _ in range(2):
            run(tmp_path, {"tests/conftest.py": "", "tests/test_counts.py": counted})
    finally:
        del os.environ["COUNTER"]
    assert (tmp_path / "counter").read_text() == "x"
