from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import syncbot
from syncbot import atomic
from syncbot.atomic import Transaction, replacing
from syncbot.errors import EnvironmentFailure


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "deep/a"
    atomic.write_file(file, b"1")
    file.chmod(0o755)
    atomic.write_file(file, b"2")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"2", 0o755)
    assert names(tmp_path) == ["deep", "deep/a"]


def test_what_cannot_be_written_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file")
    with pytest.raises(EnvironmentFailure, match="cannot write"):
        atomic.write_file(tmp_path / "a/b", b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(EnvironmentFailure, match="cannot write"):
        atomic.write_file(tmp_path / "folder", b"")
    assert names(tmp_path) == ["a", "folder"]


def test_a_folder_is_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "lane"
    atomic.write_folder(folder, {"a": b"1", "b/c": b"2"})
    atomic.write_folder(folder, {"b/c": b"3"})
    assert names(tmp_path) == ["lane", "lane/b", "lane/b/c"]
    assert (folder / "b/c").read_bytes() == b"3"


@pytest.mark.parametrize("can", [True, False], ids=["in one call", "by two renames"])
def test_while_a_folder_is_replaced_one_of_both_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can: bool
) -> None:
    """Where the system exchanges two paths in one call, no rename takes the folder away before."""
    if not can:
        monkeypatch.setattr(atomic, "exchange", lambda one, other: False)
    folder, seen, rename = tmp_path / "lane", [], Path.rename

    def watched(path: Path, target: Path) -> Path:
        seen.append(path.name)
        return rename(path, target)

    atomic.write_folder(folder, {"a": b"1", "b/c": b"2"})
    monkeypatch.setattr(Path, "rename", watched)
    atomic.write_folder(folder, {"b/c": b"3"})
    assert names(tmp_path) == ["lane", "lane/b", "lane/b/c"]
    assert (len(seen), "lane" in seen) == ((0, False) if can else (2, True))


def test_what_cannot_change_places_stays_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(FileNotFoundError):
        atomic.exchange(tmp_path / "a", tmp_path / "b")
    assert names(tmp_path) == ["a"]
    (tmp_path / "b").write_bytes(b"a file")
    atomic.write_folder(tmp_path / "b", {"c": b"1"})
    assert names(tmp_path) == ["a", "b", "b/c"]


def test_a_folder_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "lane"
    atomic.write_folder(folder, {"a": b"1"})
    with pytest.raises(EnvironmentFailure):
        atomic.write_folder(folder, {"a": b"1", "a/b": b"2"})
    assert names(tmp_path) == ["lane", "lane/a"]


def test_leftovers_of_a_killed_run_are_put_right(tmp_path: Path) -> None:
    folder = tmp_path / "lane"
    (tmp_path / ".lane.x.old").mkdir()
    (tmp_path / ".lane.x.old/a").write_text("old")
    (tmp_path / ".lane.x.new").mkdir()
    atomic.clear_leftovers(folder)
    assert names(tmp_path) == ["lane", "lane/a"]


def test_a_transaction_writes_and_removes_together(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    Transaction(tmp_path, tmp_path / "build/journal").commit({"a/x": b"1", "b": None})
    assert names(tmp_path) == ["a", "a/x", "build"]


def test_a_committed_transaction_is_finished_and_another_forgotten(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.mkdir()
    (journal / "0.new").write_bytes(b"new")
    transaction = Transaction(tmp_path, journal)
    transaction.recover()
    assert names(tmp_path) == []
    journal.mkdir()
    (journal / "0.new").write_bytes(b"new")
    mark = [journal.stat().st_dev, journal.stat().st_ino]
    files = {"a": "0.new", "already": "1.new"}
    (journal / "manifest.json").write_text(json.dumps({"journal": mark, "files": files}))
    transaction.recover()
    assert names(tmp_path) == ["a"]


def test_an_error_inside_leaves_the_file_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "a"
    with replacing(target) as file:
        file.write(b"old")
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"old", 0o644)
    target.chmod(0o600)
    with pytest.raises(TypeError), replacing(target) as file:
        file.write("a text")  # type: ignore[arg-type]
    assert [(p.name, p.read_bytes()) for p in target.parent.iterdir()] == [("a", b"old")]
    with replacing(target) as file:
        file.write(b"new")
        assert target.read_bytes() == b"old"
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", 0o600)


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """As root, --output /dev/null would make a file of the device of the whole machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    (tmp_path / "link").symlink_to(pipe)
    for path in (pipe, tmp_path / "link"):
        atomic.write_file(path, b"told")
        assert os.read(reader, 10) == b"told"
    os.close(reader)
    atomic.write_file(Path("/dev/null"), b"told")
    assert (pipe.is_fifo(), (tmp_path / "link").is_symlink(), names(tmp_path)) == (
        True,
        True,
        ["link", "pipe"],
    )
    assert Path("/dev/null").is_char_device()


def test_what_a_killed_write_left_makes_room_for_the_next(tmp_path: Path) -> None:
    left, target = tmp_path / ".a.new", tmp_path / "a"
    left.write_bytes(b"half")
    atomic.write_file(target, b"1")
    assert names(tmp_path) == ["a"]
    # What lives, or is something else, is not touched.
    with replacing(target) as file:
        file.write(b"2")
        atomic.write_file(target, b"3")
        assert target.read_bytes() == b"3"
    assert (target.read_bytes(), names(tmp_path)) == (b"2", ["a"])
    left.symlink_to(target)
    atomic.write_file(target, b"4")
    assert (target.read_bytes(), left.is_symlink()) == (b"4", True)


def test_no_other_module_replaces_files_by_itself() -> None:
    package = Path(syncbot.__file__).parent
    own = re.compile(r"os\.replace\(|NamedTemporaryFile\(|mkstemp\(")
    found = {p.relative_to(package).as_posix() for p in package.rglob("*.py") if own.search(p.read_text())}
    # The other makes the key of the cache, which has to be of one process and its user's alone.
    assert found == {"atomic.py", "sealed_values.py"}
