"""The folder of a site: replaced as a whole, never taken from somebody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.site.written_files import MARKER, check, put

FILES = {"index.html": b"<p>", "days/a.html": b"a"}


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_site_is_put_in_place_and_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "site"
    put(folder, FILES)
    assert files(folder).keys() == {*FILES, MARKER}
    put(folder, {"index.html": b"<q>", "new.html": b"n"})
    assert files(folder).keys() == {"index.html", "new.html", MARKER}
    assert [path.name for path in folder.parent.iterdir()] == ["site"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    put(tmp_path / "site", {})
    (tmp_path / "empty").mkdir()
    put(tmp_path / "empty", FILES)
    assert (tmp_path / "empty" / "index.html").read_bytes() == b"<p>"


@pytest.mark.parametrize("stranger", ["CNAME", "days/mine.html", ".git/HEAD"])
def test_what_somebody_else_made_is_refused(tmp_path: Path, stranger: str) -> None:
    folder = tmp_path / "site"
    put(folder, FILES)
    (folder / stranger).parent.mkdir(exist_ok=True)
    (folder / stranger).write_bytes(b"mine")
    with pytest.raises(UsageError, match=f"{stranger}, which 'syncbot site' did not make"):
        put(folder, FILES)
    assert (folder / stranger).read_bytes() == b"mine"


def test_a_folder_without_or_with_a_broken_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    for text in (None, "{", "[]", '{"files": 3}'):
        if text is not None:
            (tmp_path / MARKER).write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=r"index\.html"):
            check(tmp_path)


def test_files_and_links_are_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("file", "link"):
        with pytest.raises(UsageError, match="is no folder"):
            put(tmp_path / name, FILES)


def test_what_cannot_be_written_leaves_the_old_site(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    put(folder, FILES)
    before = files(folder)
    with pytest.raises(EnvironmentFailure, match="cannot write"):
        put(folder, {"a": b"a file", "a/b": b"and a folder"})
    assert files(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert json.loads(before[MARKER])["files"] == sorted(FILES)
