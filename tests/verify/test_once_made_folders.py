from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure
from syncbot.verify.once_made_folders import made_once


def keep(target: Path) -> str | None:
    file = target / "content"
    return file.read_text() if file.exists() else None


def test_what_is_there_is_not_made_again(tmp_path: Path) -> None:
    target = tmp_path / "target-1.5"
    made = []

    def make(folder: Path) -> Path:
        made.append(folder)
        (folder / "new").mkdir()
        (folder / "new" / "content").write_text(f"made {len(made)}")
        return folder / "new"

    assert made_once(target, lambda: keep(target), make) == "made 1"
    assert made_once(target, lambda: keep(target), make) == "made 1"
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_dir()] == ["target-1.5"]


def test_a_maker_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "incomplete").touch()

    def make(folder: Path) -> Path:
        (folder / "half").mkdir()
        raise EnvironmentFailure("no network")

    with pytest.raises(EnvironmentFailure, match="no network"):
        made_once(target, lambda: keep(target), make)
    assert [entry.name for entry in target.iterdir()] == ["incomplete"]
    assert not list(tmp_path.glob(".building-*"))


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / ".building-target-abc" / "deep").mkdir(parents=True)
    (tmp_path / ".building-other-abc").mkdir()

    def make(folder: Path) -> Path:
        (folder / "new").mkdir()
        (folder / "new" / "content").write_text("made")
        return folder / "new"

    assert made_once(target, lambda: keep(target), make) == "made"
    assert not (tmp_path / ".building-target-abc").exists()
    assert (tmp_path / ".building-other-abc").exists()


def test_a_disk_that_refuses_is_one_line(tmp_path: Path) -> None:
    def make(folder: Path) -> Path:
        raise OSError(28, "No space left on device", str(folder / "file"))

    with pytest.raises(EnvironmentFailure, match="No space left on device"):
        made_once(tmp_path / "target", lambda: keep(tmp_path / "target"), make)
