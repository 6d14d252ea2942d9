"""Changes of tests that follow upstream: what is proposed, what is left alone, and that git can apply it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from syncbot.patching.file_rewrites import FileRewrites
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.suites.classes import Classed
from syncbot.suites.differences import Difference, Group
from syncbot.suites.moved_names import moves
from syncbot.suites.proposed_tests import changed, pinning, proposal, write
from syncbot.verify.suite.outcomes import Cause, Frame

from .ends import Ends, sources

OLD = {
    "up.base": "def moved(): ...\ndef gone(): ...\ndef twice(): ...\nclass Kept: ...\n",
    "up.left.deep": "def f(): ...\n",
}
NEW = {
    "up.base": "class Kept: ...\n",
    "up.other": "def moved(): ...\ndef twice(): ...\n",
    "up.third": "def twice(): ...\n",
    "up.right.deep": "def f(): ...\n",
}
TEST = """\
from unittest.mock import patch

import up.left.deep
from up.base import Kept, gone, moved, twice


@patch("up.base.moved")
@patch("up.base.gone")
def test_it(fake):
    with patch("up.base.Kept.run"):
        assert moved() and up.left.deep.f()
"""


def found() -> list[str]:
    rules = moves(TEST.encode(), sources(OLD, {}), sources(NEW, {}))
    return [f"{rule.name} {rule.model_dump()['old']} {rule.model_dump()['new']}" for rule in rules]


def test_what_has_one_new_place_moves_and_what_has_none_or_two_stays() -> None:
    assert found() == [
        "import_moved up.left.deep up.right.deep",
        "string_renamed up.left.deep up.right.deep",
        "import_moved up.base.moved up.other.moved",
        "string_renamed up.base.moved up.other.moved",
    ]
    assert moves(b"def broken(:", sources(OLD, {}), sources(NEW, {})) == []
    assert moves(TEST.encode(), sources(OLD, {}), sources(OLD, {})) == []


def test_a_file_of_tests_follows_and_git_applies_it(tmp_path: Path) -> None:
    rules = moves(TEST.encode(), sources(OLD, {}), sources(NEW, {}))
    made = proposal("tests/test_it.py", TEST.encode(), rules, FileRewrites())
    assert made is not None
    assert 'patch("up.other.moved")' in made.after
    assert "from up.other import moved" in made.after
    assert "import up.right.deep" in made.after
    # What upstream has no more, and what it still has, stay as they are.
    assert 'patch("up.base.gone")' in made.after
    assert "from up.base import Kept, gone, twice" in made.after
    write([made], tmp_path / "proposed")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(TEST)
    patch = tmp_path / "proposed" / "tests" / "test_it.py.patch"
    subprocess.run(["git", "apply", str(patch)], cwd=tmp_path, check=True)
    assert (tmp_path / "tests" / "test_it.py").read_text() == made.after
    assert changed({"a.py": b"1", made.file: b""}, [made]) == {"a.py": b"1", made.file: made.after.encode()}


def test_a_call_that_passes_what_upstream_takes_no_more_follows() -> None:
    old = "class Spec:\n    def __init__(self, size, block=1): ...\n"
    new = old.replace(", block=1", "")
    text = "from up.spec import Spec\n\n\ndef make():\n    return Spec(\n        size=2,\n        block=3,\n    )\n"
    ends = Ends({"up.spec": old}, {"up.spec": new}, {"tests/test_it.py": text})
    frame = Frame("tests/test_it.py", 5, "make")
    found = ends.told("TypeError", "Spec.__init__() got an unexpected keyword argument 'block'", frame)
    made = proposal("tests/test_it.py", text.encode(), found.rewrites, FileRewrites())
    assert made is not None
    assert made.after == text.replace("        block=3,\n", "")
    other = ends.told("TypeError", "Spec.__init__() got an unexpected keyword argument 'size'", frame)
    assert other.rewrites == ()


@pytest.mark.parametrize(
    "text", ["x = 1\n", "from up.base import Kept\n", "def broken(:\n    up.base.moved\n"]
)
def test_a_file_that_no_rewrite_fits_has_no_proposal(text: str) -> None:
    rule = ImportMoved(old="up.base.moved", new="up.other.moved")
    assert proposal("tests/test_it.py", text.encode(), [rule], FileRewrites()) is None


def test_files_are_those_of_the_tests_and_of_what_helps_them() -> None:
    cause = Cause("ImportError", "no", (Frame("tests/helpers.py", 1, "<module>"),))
    differences = tuple(Difference(f"tests/test_{name}.py::test", "fail", cause) for name in "ab")
    pins = Classed(Group("ImportError: no", "x", differences), "pins", "shown")
    other = Classed(Group("ImportError: other", "x", differences), "undecided")
    found = pinning([pins, other])
    assert sorted(found) == ["tests/helpers.py", "tests/test_a.py", "tests/test_b.py"]
    assert found["tests/helpers.py"].nodes == ["tests/test_a.py::test", "tests/test_b.py::test"]
    assert found["tests/helpers.py"].groups == [pins]
