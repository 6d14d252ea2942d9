"""GitPython runs git as the rest of syncbot does: nothing of the repository's or the user's redirects it."""

from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from git import GitCommandError

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.writable_repository import WritableRepository

WHO = ("-c", "user.name=A", "-c", "user.email=a@example.org")


def git(folder: Path, *args: str) -> str:
    return subprocess.run(
        ["git", "-C", folder, *WHO, *args], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    made.mkdir()
    git(made, "init", "--quiet", "--initial-branch=main")
    (made / "a.txt").write_text("one\n", encoding="utf-8")
    git(made, "add", "a.txt")
    git(made, "commit", "--quiet", "-m", "One")
    return made


def test_objects_of_a_working_tree(folder: Path) -> None:
    (folder / "deep").mkdir()
    for place in (folder, folder / "deep", folder / ".git"):
        with closing(WritableRepository(place)) as repository:
            assert repository.head.commit.hexsha == git(folder, "rev-parse", "HEAD")
            assert (repository.head.commit.tree / "a.txt").data_stream.read() == b"one\n"
            assert repository.git.rev_parse("HEAD") == repository.head.commit.hexsha
            status = repository.git.execute(
                ["git", "nothing"], with_extended_output=True, with_exceptions=False
            )
            assert status[0] == 1
            assert "'nothing' is not a git command" in status[2]


def test_what_is_no_repository(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageError, match="is in no working tree of git: run git init in it"):
            WritableRepository(place)


def test_variables_of_git_redirect_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare=true'")
    with closing(WritableRepository(folder)) as repository:
        assert repository.head.commit.message == "One\n"
        assert repository.run("status", "--porcelain") == ""
        made = repository.head.commit.replace(message="Two\n")
    assert (folder / ".git" / "objects" / made.hexsha[:2] / made.hexsha[2:]).is_file()


def test_programs_that_a_configuration_names_do_not_run(folder: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\n", encoding="utf-8")
    program.chmod(0o755)
    git(folder, "config", "core.fsmonitor", str(program))
    hook = folder / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
    hook.chmod(0o755)
    with closing(WritableRepository(folder)) as repository:
        repository.git.status("--porcelain")
        repository.run("update-ref", "refs/heads/more", "HEAD")
    assert not marker.exists()
    # The same by git alone.
    git(folder, "update-ref", "refs/heads/other", "HEAD")
    assert marker.exists()


def test_an_error_says_why_without_credentials(folder: Path) -> None:
    with closing(WritableRepository(folder)) as repository:
        url = "https://me:secret@127.0.0.1:1/none.git"
        with pytest.raises(EnvironmentFailure, match=r"git ls-remote failed in .*127\.0\.0\.1") as caught:
            repository.run("ls-remote", url)
        with pytest.raises(GitCommandError) as raised:
            repository.git.ls_remote(url)
        assert "secret" not in str(caught.value) + str(raised.value)
        assert "127.0.0.1" in str(raised.value)
