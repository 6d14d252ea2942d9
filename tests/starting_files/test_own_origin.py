"""Finds a source from which pip can install the running syncbot again: recorded, and reachable elsewhere."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from syncbot.starting_files.own_origin import of_checkout, origin_of, released

SHA, DIGEST = "0a" * 20, "0b" * 32
GIT = {"vcs": "git", "commit_id": SHA}


@pytest.mark.parametrize(
    ("direct", "source"),
    [
        ({"url": "https://h.example/o/syncbot", "vcs_info": GIT}, f"git+https://h.example/o/syncbot@{SHA}"),
        ({"url": "https://ada:x@h.example/s.git", "vcs_info": GIT}, f"git+https://h.example/s.git@{SHA}"),
        (
            {"url": "https://h.example/s", "vcs_info": GIT, "subdirectory": "a/b"},
            f"git+https://h.example/s@{SHA}#subdirectory=a/b",
        ),
        (
            {"url": "https://h.example/s-1.whl", "archive_info": {"hashes": {"sha256": DIGEST}}},
            f"https://h.example/s-1.whl#sha256={DIGEST}",
        ),
        ({"url": "https://h.example/s-1.whl", "archive_info": {}}, "https://h.example/s-1.whl"),
        ({"url": "ssh://git@h.example/s", "vcs_info": GIT}, None),
        ({"url": "http://h.example/s-1.whl", "archive_info": {}}, None),
        ({"url": "file:///tmp/s-1.whl", "archive_info": {}}, None),
        ({"url": "file:///nowhere/at/all", "vcs_info": GIT}, None),
    ],
)
def test_what_an_installation_recorded(direct: dict[str, Any], source: str | None) -> None:
    found = origin_of(direct)
    assert found.source == source
    assert bool(found.why) == (source is None)


@pytest.mark.parametrize(
    ("version", "addresses", "source"),
    [
        ("1.2.3", ["Source Code, https://h.example/o/s/"], "git+https://h.example/o/s@v1.2.3"),
        ("1.2.3", ["Documentation, https://d.example", "repository, https://h.example/s"],
         "git+https://h.example/s@v1.2.3"),
        ("1.2.3", ["Upstream, https://h.example/other"], None),
        ("1.2.3", ["Source, http://h.example/s"], None),
        ("1.2.4.dev3+g0a0a0a0", ["Source, https://h.example/s"], None),
    ],
)  # fmt: skip
def test_what_came_from_an_index(version: str, addresses: list[str], source: str | None) -> None:
    assert released(version, addresses).source == source


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    line = ["git", *who, *arguments]
    return subprocess.run(line, cwd=folder, env=quiet, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone of a repository, whose remote has the address that it is known by."""
    first, clone = tmp_path / "first", tmp_path / "clone"
    (first / "syncbot").mkdir(parents=True)
    (first / "syncbot/a.py").write_text("a = 1\n", encoding="utf-8")
    git(first, "init", "--quiet")
    git(first, "add", "--all")
    git(first, "commit", "--quiet", "--message", "A change")
    git(tmp_path, "clone", "--quiet", str(first), str(clone))
    git(clone, "remote", "set-url", "origin", "https://h.example/o/syncbot.git")
    return clone


def test_a_clone_is_pinned_to_the_commit_that_the_remote_has(checkout: Path) -> None:
    head = git(checkout, "rev-parse", "HEAD").strip()
    pinned = f"git+https://h.example/o/syncbot.git@{head}"
    assert of_checkout(checkout, None).source == pinned
    assert origin_of({"url": checkout.as_uri(), "dir_info": {"editable": True}}).source == pinned
    assert (
        origin_of({"url": checkout.as_uri(), "vcs_info": {"vcs": "git", "commit_id": head}}).source == pinned
    )


def test_what_the_remote_does_not_have_is_no_pin(checkout: Path) -> None:
    (checkout / "syncbot/a.py").write_text("a = 2\n", encoding="utf-8")
    assert "changed and not committed" in of_checkout(checkout, None).why
    git(checkout, "commit", "--quiet", "--all", "--message", "Mine")
    mine = of_checkout(checkout, None)
    assert (mine.source, "is on no branch of the remote" in mine.why) == (None, True)
    git(checkout, "remote", "set-url", "origin", "git@h.example:o/syncbot.git")
    assert "has no https address" in of_checkout(checkout, None).why


def test_a_folder_that_is_no_repository(tmp_path: Path) -> None:
    assert "no git repository" in of_checkout(tmp_path, None).why
