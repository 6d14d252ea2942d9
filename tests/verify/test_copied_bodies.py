"""Copies that upstream left behind: found by `verify --static`, with the merge that would refresh them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from syncbot.verify.copied_bodies import merge
from tests.forked_command import command
from tests.lanes.conftest import git
from tests.project_texts import settings, write

pytestmark = pytest.mark.long

RUN = """\
class Base:
    def run(self, batch):
        size = len(batch)
        first = batch[0]
        self.prepare(first)
        result = []
        for each in batch:
            result.append(self.one(each))
        self.finish(result)
        return result
"""
NEWER = RUN.replace("self.finish(result)", "self.finish(result, size)")
COPY = RUN.replace("class Base:", "from up.base import Base\n\n\nclass Mine(Base):").replace(
    "self.prepare(first)", "self.prepare(first.npu())"
)
ROW = "  - {{tag: v{0}, wheel: '{0}', python: '>=3.10', stack: {{}}}}\n"


def project(folder: Path, first: str, second: str, ours: str) -> Path:
    """An upstream of two releases, and a backend written for the second of them."""
    upstream, root = folder / "upstream", folder / "root"
    for tag, text in (("v1.0", first), ("v2.0", second)):
        write(upstream, {"up/__init__.py": "", "up/base.py": text, "up/version.py": f"V = {tag!r}\n"})
        if tag == "v1.0":
            git(upstream, "init", "-q", "-b", "main")
        git(upstream, "add", "-A")
        git(upstream, "commit", "-qm", tag)
        git(upstream, "tag", tag)
    write(
        root,
        {
            "pyproject.toml": settings("up", f'git = "{upstream}"', "mine"),
            "compat_matrix.yaml": "upstream: up\nbaseline: v2.0\nlanes:\n"
            + ROW.format("2.0")
            + ROW.format("1.0"),
            "backend/pyproject.toml": '[project]\nname = "mine"\nversion = "2.0"\n',
            "backend/src/mine/__init__.py": "",
            "backend/src/mine/base.py": ours,
        },
    )
    return root


def verify(root: Path, tag: str = "v2.0") -> subprocess.CompletedProcess[str]:
    asked = ("--static", "--lane", tag, "--backend", str(root))
    return command("verify", *asked, SYNCBOT_CACHE=str(root.parent / "cache"))


def test_a_copy_of_the_older_body_is_drift_with_the_merge(tmp_path: Path) -> None:
    done = verify(project(tmp_path, RUN, NEWER, COPY))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "v2.0  static  pass"
    assert lines[1].strip() == "src/mine/base.py:5: drift: a copy of up.base.Base.run() of 1.0, changed since"
    changes = [
        line.strip()
        for line in lines
        if line.lstrip()[:1] in "+-" and line.lstrip()[:3] not in ("+++", "---")
    ]
    # Upstream's change is taken, and our own stays.
    assert changes == ["-    self.finish(result)", "+    self.finish(result, size)"]


def test_where_both_changed_the_same_line_the_conflict_is_shown(tmp_path: Path) -> None:
    newer = RUN.replace("self.prepare(first)", "self.prepare(first, size)")
    ours = COPY.replace("size = len(batch)", "size = int(len(batch))").replace(
        "first = batch[0]", "first = batch[:1]"
    )
    done = verify(
        project(
            tmp_path,
            RUN.replace("result = []", "result = list()"),
            newer,
            ours.replace("result = []", "result = list()"),
        )
    )
    assert "changed since, 1 conflict" in done.stdout
    assert ">>>>>>> 2.0" in done.stdout
    assert "||||||| 1.0" in done.stdout


@pytest.mark.parametrize(
    ("first", "second", "ours"),
    [
        # Of the body as it is now; changed since, but already taken over; unchanged; no copy.
        (RUN, NEWER, COPY.replace("self.finish(result)", "self.finish(result, size)")),
        (RUN, RUN, COPY),
        (RUN, NEWER, "from up.base import Base\n\n\nclass Mine(Base):\n    def run(self, batch):\n        return super().run(batch)\n"),
    ],
)  # fmt: skip
def test_what_is_up_to_date_is_no_drift(tmp_path: Path, first: str, second: str, ours: str) -> None:
    assert verify(project(tmp_path, first, second, ours)).stdout == "v2.0  static  pass\n"


def test_the_older_lane_of_an_older_copy_is_up_to_date(tmp_path: Path) -> None:
    assert verify(project(tmp_path, RUN, NEWER, COPY), "v1.0").stdout == "v1.0  static  pass\n"


def test_a_derived_override_cannot_drift(tmp_path: Path) -> None:
    root = project(tmp_path, RUN, NEWER, "from up.base import Base\n\n\nclass Mine(Base):\n    kind = 1\n")
    write(
        root,
        {
            "derived/run.yaml": "id: run\nreason: On the device.\nfile: src/mine/base.py\nname: Mine.run\nedits:\n"
            "  - edit: replace_call\n    arguments: {call: self.prepare, by: self.prepare(first.npu())}\n"
        },
    )
    for tag in ("v2.0", "v1.0"):
        assert verify(root, tag).stdout == f"{tag}  static  pass\n"
    newer, older = ((root / f"build/lanes/{tag}/src/mine/base.py").read_text() for tag in ("v2.0", "v1.0"))
    assert "first.npu()" in newer
    assert newer.replace("result, size", "result") == older


def test_a_merge_of_nothing_new_is_ours() -> None:
    assert merge("a\nb\nc\n", "a\nc\n", "a\nc\n", "1", "2") == ("a\nb\nc\n", 0)
    assert merge("a\nb\nc\n", "a\nc\n", "a\nc\nd\n", "1", "2")[0].startswith("a\nb\n")
