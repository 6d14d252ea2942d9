"""Nothing is written or removed through a link that leaves the project."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot import atomic, project_folders
from syncbot.errors import UsageError
from syncbot.upstream.cache_folder import cache_dir
from syncbot.worktree import Worktree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project beside a folder of somebody else's."""
    for name in ("project/build", "project/patches", "elsewhere/v1.0.0"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "elsewhere/v1.0.0/theirs").write_text("theirs")
    project_folders.know(tmp_path / "project")
    return tmp_path / "project"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


WRITERS: dict[str, Callable[[Path, str], object]] = {
    "file": lambda root, path: atomic.write_file(root / path / "a", b"ours"),
    "folder": lambda root, path: atomic.write_folder(root / path / "v1.0.0", {"a": b"ours"}),
    "leftovers": lambda root, path: atomic.clear_leftovers(root / path / "v1.0.0"),
    "removal": lambda root, path: atomic.remove(root / path / "v1.0.0"),
    "transaction": lambda root, path: atomic.Transaction(root, root / "journal").commit(
        {f"{path}/a": b"ours"}
    ),
    "forgetting": lambda root, path: atomic.Transaction(root, root / "journal").commit(
        {f"{path}/v1.0.0": None}
    ),
    "journal": lambda root, path: atomic.Transaction(root, root / path / ".apply").commit({"a": b"ours"}),
    "recovery": lambda root, path: atomic.Transaction(root, root / path / ".apply").recover(),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))
@pytest.mark.parametrize("link", ["lanes", "deep/lanes", "chain"])
def test_a_link_out_of_the_project_is_told_and_nothing_is_written(
    root: Path, write: Callable[[Path, str], object], link: str
) -> None:
    (root / "build" / link).parent.mkdir(exist_ok=True)
    (root / "build" / link).symlink_to("../../elsewhere" if link == "lanes" else root.parent / "elsewhere")
    if link == "chain":
        (root / "build/first").symlink_to("chain")
        link = "first"
    before = contents(root.parent)
    with pytest.raises(
        UsageError, match=rf"build/{link} leads out of .*project, to .*elsewhere.*: remove the link"
    ):
        write(root, f"build/{link}")
    assert contents(root.parent) == before


@pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))
def test_a_link_within_the_project_is_followed(root: Path, write: Callable[[Path, str], object]) -> None:
    (root / "other").mkdir()
    (root / "build/lanes").symlink_to("../other")
    before = contents(root.parent / "elsewhere")
    write(root, "build/lanes")
    assert contents(root.parent / "elsewhere") == before


@pytest.mark.parametrize("there", [True, False])
def test_a_link_in_the_place_of_a_file_is_told(root: Path, there: bool) -> None:
    target = root.parent / ("elsewhere/v1.0.0/theirs" if there else "not/there")
    (root / "matrix.yaml").symlink_to(target)
    for write in (
        lambda: atomic.write_file(root / "matrix.yaml", b"ours"),
        lambda: atomic.Transaction(root, root / "journal").commit({"matrix.yaml": b"ours"}),
    ):
        with pytest.raises(UsageError, match=r"matrix.yaml leads out of"):
            write()
    assert (root / "matrix.yaml").is_symlink()
    assert not (root.parent / "not").exists()
    assert (root.parent / "elsewhere/v1.0.0/theirs").read_text() == "theirs"


def test_a_link_to_itself_is_replaced(root: Path) -> None:
    (root / "a").symlink_to("a")
    atomic.write_file(root / "a", b"ours")
    assert (root / "a").read_bytes() == b"ours"


def test_a_file_of_two_names_is_changed_under_one_only(root: Path) -> None:
    theirs = root.parent / "elsewhere/v1.0.0/theirs"
    os.link(theirs, root / "a")
    atomic.write_file(root / "a", b"ours")
    os.link(theirs, root / "b")
    atomic.Transaction(root, root / "journal").commit({"b": b"ours"})
    assert theirs.read_text() == "theirs"


def test_a_link_in_the_place_of_a_lane_is_removed_and_not_what_is_behind(root: Path) -> None:
    (root / "other").mkdir()
    (root / "other/kept").touch()
    (root / "build/v1.0.0").symlink_to("../other")
    atomic.write_folder(root / "build/v1.0.0", {"a": b"1"})
    (root / "build/.v2.x.old").symlink_to("../other")
    (root / "build/.v2.x.new").symlink_to("../other")
    atomic.clear_leftovers(root / "build/v2")
    assert (root / "other/kept").exists()
    assert sorted(path.name for path in (root / "build").iterdir()) == ["v1.0.0"]


@pytest.mark.parametrize(
    "manifest",
    [
        {"../elsewhere/v1.0.0/theirs": "0.new"},
        {"journal": [0, 0], "files": {"../elsewhere/v1.0.0/theirs": "0.new"}},
        {"journal": None, "files": {".git/hooks/pre-commit": "0.new"}},
        {"journal": [0, 0], "files": {"patches/mine": None}},
        [],
    ],
)
def test_a_journal_that_came_with_the_repository_is_forgotten(root: Path, manifest: object) -> None:
    (root / "patches/mine").touch()
    journal = root / "build/.apply"
    journal.mkdir()
    (journal / "0.new").write_text("theirs now")
    (journal / "manifest.json").write_text(json.dumps(manifest))
    atomic.Transaction(root, journal).recover()
    assert not journal.exists()
    assert (root / "patches/mine").exists()
    assert not (root / ".git").exists()
    assert (root.parent / "elsewhere/v1.0.0/theirs").read_text() == "theirs"


@pytest.mark.parametrize("path", ["../elsewhere/v1.0.0/theirs", "patches/../../elsewhere/a", "{outside}"])
def test_a_transaction_stays_below_its_root(root: Path, path: str) -> None:
    before = contents(root.parent)
    with pytest.raises(UsageError, match="is outside"):
        atomic.Transaction(root, root / "journal").commit({path.format(outside=root.parent / "a"): b"ours"})
    assert contents(root.parent) == before


def test_a_cache_that_is_a_link_out_of_the_project_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".cache").symlink_to(root.parent / "elsewhere")
    monkeypatch.setenv("SYNCBOT_CACHE", str(root / ".cache/syncbot"))
    with pytest.raises(UsageError, match=r"\.cache leads out of"):
        cache_dir()
    assert not (root.parent / "elsewhere/syncbot").exists()


def test_a_project_that_is_reached_by_a_link_is_none(root: Path) -> None:
    (root.parent / "short").symlink_to("project")
    project_folders.know(root.parent / "short")
    atomic.write_file(root.parent / "short/build/a", b"1")
    assert (root / "build/a").read_bytes() == b"1"


@pytest.mark.parametrize("path", ["a.py", "deep/a.py"])
def test_a_working_tree_is_not_left_by_a_link(root: Path, path: str) -> None:
    (root.parent / "elsewhere/a.py").write_text("theirs")
    (root / "a.py").symlink_to("../elsewhere/a.py")
    (root / "deep").symlink_to("../elsewhere")
    tree = Worktree(root)
    tree.begin(allow_dirty=True)
    with pytest.raises(UsageError, match=r"elsewhere/a\.py is outside"):
        tree.write({path: "ours"})
    assert (root.parent / "elsewhere/a.py").read_text() == "theirs"
