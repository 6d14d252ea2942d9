"""``syncbot baseline move``: the sources of another lane become the backend's own, or nothing changes."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
import yaml

from tests.forked_program import forked

from .conftest import MATRIX, NEW, Project, git, project_in, write

pytestmark = pytest.mark.long

NEWER = {
    **NEW,
    "up/base.py": NEW["up/base.py"].replace("self, spec=None", "self, spec=None, layers=0"),
    "up/parts/__init__.py": "",
    "up/parts/things.py": NEW["up/things.py"],
}
ROWS = (
    '  - {tag: v3.0.0, wheel: 3.0.0, python: ">=3.10", stack: {torch: 2.14.0}}\n',
    '  - {tag: v2.5.0, wheel: 2.5.0, python: ">=3.10", stack: {torch: 2.13.0}}\n',
)
FACTS = '''\
"""What this wheel was made for."""

UP = "2.0.0"
TORCH = "2.13.0"
WHEEL_VERSION = "2.0.0"
'''


def listed(project: Project) -> dict[str, dict[str, object]]:
    document = yaml.safe_load((project.root / "compat_matrix.yaml").read_text())
    return {"": document, **{row["tag"]: row for row in document["lanes"]}}


def commit(project: Project) -> None:
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "State")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, both_releases: Path) -> Path:
    """A folder with the project of ``line``, its upstream and its cache, to be copied."""
    folder = tmp_path_factory.mktemp("world")
    project, upstream = project_in(folder, both_releases), folder / "upstream"
    git(upstream, "tag", "v2.5.0")
    git(upstream, "rm", "-q", "up/things.py")
    write(upstream, {path: text for path, text in NEWER.items() if path != "up/things.py"})
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "Newer")
    git(upstream, "tag", "v3.0.0")
    write(project.root, {"compat_matrix.yaml": MATRIX + "".join(ROWS), ".gitignore": "build/\n"})
    write(project.root / "backend", {"src/mine/_lane.py": FACTS})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNCBOT_CACHE", str(folder / "cache"))
        for command in (["apply"], ["verify", "--static"]):
            code, output = project.run(*command)
            assert code == 0, output
    git(project.root, "init", "-q", "-b", "main", "--template=")
    commit(project)
    return folder


@pytest.fixture
def line(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Lanes from 1.0.0 to 3.0.0 around the baseline 2.0.0; all applied, verified and committed."""
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    shutil.copytree(world, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Project(tmp_path / "repository")


def test_up_and_down_again_is_the_identity(line: Project) -> None:
    before, lanes = line.files("backend", "patches"), line.files("build/lanes")
    code, output = line.run("baseline", "move", "v3.0.0")
    assert code == 0, output
    assert "rewritten backend/src/mine/base.py" in output
    for tag in ("v1.0.0", "v2.0.0", "v2.5.0", "v3.0.0"):
        assert f"{tag}  static  pass" in output
        assert f"lane {tag}: the same sources as before" in output
    moved = line.files("backend")
    assert b"from up.parts.things import Thing" in moved["backend/src/mine/base.py"]
    assert b"def sizes(self, spec=None, layers=0)" in moved["backend/src/mine/base.py"]
    assert b'UP = "3.0.0"\nTORCH = "2.14.0"' in moved["backend/src/mine/_lane.py"]
    assert b'version = "3.0.0"' in moved["backend/pyproject.toml"]
    rows = listed(line)
    assert rows[""]["baseline"] == "v3.0.0"
    assert rows["v3.0.0"]["patches"] == []
    assert rows["v2.0.0"]["patches"] == ["3.0.0-base-sizes", "3.0.0-up-things"]
    assert len(rows["v1.0.0"]["patches"]) == 4
    # What the lanes are generated to has not changed, and apply has nothing to add.
    sources = {path: text for path, text in line.files("build/lanes").items() if "/." not in path}
    assert sources == {path: text for path, text in lanes.items() if "/." not in path}
    assert line.run("apply", "--check") == (0, "")
    commit(line)
    code, output = line.run("baseline", "move", "2.0.0")
    assert code == 0, output
    assert line.files("backend", "patches") == before
    assert line.run("apply", "--check") == (0, "")


def test_down_to_an_older_lane(line: Project) -> None:
    code, output = line.run("baseline", "move", "v1.0.0")
    assert code == 0, output
    source = (line.root / "backend/src/mine/base.py").read_text()
    assert "from up.utils import Thing" in source
    assert "    # sizes of blocks\n    def sizes(self):\n" in source
    assert 'WHEEL_VERSION = "1.0.0.post1"' in (line.root / "backend/src/mine/_lane.py").read_text()
    assert listed(line)["v1.0.0"]["patches"] == []
    assert len(listed(line)["v3.0.0"]["patches"]) == 4
    assert line.run("apply", "--check") == (0, "")


def test_patches_of_the_way_that_are_missing_are_written_first(line: Project) -> None:
    for patch in (line.root / "patches").glob("3.0.0-*"):
        patch.unlink()
    code, output = line.run("baseline", "move", "v3.0.0", "--allow-dirty")
    assert code == 0, output
    assert "patch 3.0.0-up-things: " in output
    patch = yaml.safe_load((line.root / "patches/3.0.0-up-things.yaml").read_text())
    assert patch["lanes"] == ["v2.5.0", "v2.0.0", "v1.0.0"]
    assert "from up.parts.things import Thing" in (line.root / "backend/src/mine/base.py").read_text()
    assert line.run("apply", "--check") == (0, "")


def test_what_needs_an_author_on_the_way_stops_it(line: Project) -> None:
    upstream = line.root.parent / "upstream"
    git(upstream, "rm", "-q", "up/extra.py")
    git(upstream, "commit", "-qm", "Gone")
    git(upstream, "tag", "-f", "v3.0.0")
    write(line.root / "backend", {"src/mine/more.py": "from up.extra import only_new\n\nonly_new(1)\n"})
    before = line.files()
    code, output = line.run("baseline", "move", "v3.0.0", "--allow-dirty")
    assert code == 1
    assert "needs an author: up.extra" in output
    assert "nothing was moved: run syncbot apply --lane v3.0.0" in output
    assert line.files() == before


def test_a_lane_that_gets_worse_stops_it(line: Project) -> None:
    """A patch of a backward way that forgets something: the lane passed while it was the baseline."""
    patch = line.root / "patches/3.0.0-up-things.yaml"
    text = patch.read_text()
    # Forward it does more than backward undoes.
    (line.root / "patches/3.0.0-up-things.py").write_text(
        "import libcst as cst\n\n\ndef forward(module):\n"
        "    return module.with_changes(body=[*module.body, *cst.parse_module('import up.parts\\n').body])\n\n\n"
        "def backward(module):\n"
        "    return module.with_changes(header=[*module.header, cst.EmptyLine()])\n"
    )
    patch.write_text(text.replace("lanes:", "code: 3.0.0-up-things.py\nlanes:"))
    assert line.run("apply")[0] == 0
    code, output = line.run("verify", "--static")
    assert code == 0, output
    commit(line)
    before = line.files()
    code, output = line.run("baseline", "move", "v3.0.0")
    assert code == 1, output
    assert "v2.0.0  static  fail" in output
    assert "nothing was moved" in output
    assert line.files() == before


def test_changes_that_are_not_committed_stop_it(line: Project) -> None:
    source = line.root / "backend/src/mine/base.py"
    source.write_text(source.read_text() + "\n")
    before = line.files()
    code, output = line.run("baseline", "move", "v3.0.0")
    assert code == 2
    assert "base.py; commit first, or give --allow-dirty" in output
    git(line.root, "checkout", "-q", "--", ".")
    write(line.root / "backend", {"src/mine/new.py": ""})
    assert "new.py; commit first" in line.run("baseline", "move", "v3.0.0")[1]
    assert line.files("patches") == {k: v for k, v in before.items() if k.startswith("patches/")}
    assert line.run("baseline", "move", "v3.0.0", "--allow-dirty")[0] == 0


def test_without_a_repository_it_wants_to_be_told(project: Project) -> None:
    code, output = project.run("baseline", "move", "v1.0.0")
    assert code == 2
    assert "no git repository holds" in output


def test_the_baseline_itself_and_unknown_lanes_are_refused(line: Project) -> None:
    assert line.run("baseline", "move", "v2.0.0") == (
        2,
        "syncbot: v2.0.0 is the baseline already: name another lane\n",
    )
    code, output = line.run("baseline", "move", "v9.0.0")
    assert code == 2
    assert "no lane 'v9.0.0' in the matrix; it has" in output


SCRIPT = """
import os, signal, sys
from syncbot import atomic
calls = []
def stopping(name, real):
    def call(*a, **k):
        calls.append(name)
        if len(calls) == {moment}:
            {act}
        return real(*a, **k)
    return call
os.replace = stopping("replace", os.replace)
atomic.write_folder = stopping("folder", atomic.write_folder)
from syncbot.cli import main
try:
    main(["baseline", "move", "v3.0.0", "--backend", {root!r}])
finally:
    print(*calls)
"""


def stopped(line: Project, moment: int, act: str = "pass") -> tuple[int, list[str]]:
    """Move, and do something at the n-th time that a file or folder is put in place; the code, the calls."""
    code = SCRIPT.format(moment=moment, act=act, root=str(line.root))
    done = forked(code)
    return done.returncode, (done.stdout.splitlines() or [""])[-1].split()


def state(line: Project) -> dict[str, bytes]:
    return {path: text for path, text in line.files().items() if not path.startswith(".git/")}


INTERRUPT = "raise KeyboardInterrupt"
FULL = "raise OSError(28, 'No space left on device')"
KILL = "os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.long
def test_whatever_ends_it_everything_is_as_before_or_moved(line: Project) -> None:
    """Ctrl-C, a full disk and a kill while scratch, journal, sources and lanes are written."""
    before = state(line)
    # The first fills the cache, which the others find full.
    for _ in range(2):
        code, calls = stopped(line, 0)
        assert code == 0
        moved = state(line)
        git(line.root, "checkout", "-q", "--", ".")
        assert line.run("apply")[0] == 0
        assert state(line) == before
    # Of the end: a folder and a note for each of four lanes; before that, every file of the commit.
    end = len(calls)
    assert calls[-8:] == ["folder", "replace"] * 4
    assert calls[-12:-8] == ["replace"] * 4
    for moment, act in ((end - 14, FULL), (end - 8, INTERRUPT), (end, INTERRUPT)):
        code, _ = stopped(line, moment, act)
        assert code == (130 if act is INTERRUPT else 3), moment
        assert state(line) == before, moment
    for moment, result in ((end - 16, before), (end - 9, moved)):
        assert stopped(line, moment, KILL)[0] == -signal.SIGKILL
        assert line.run("apply")[0] == 0
        assert state(line) == result, moment
