"""Checkouts and remotes of other kinds than a plain clone."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from syncbot.errors import EnvironmentFailure
from syncbot.publish.branch_names import repository_name, web_host
from syncbot.publish.commit import checkout
from syncbot.publish.push import GitPush, Remote
from syncbot.publish.token import Token

from .github_server import TOKEN, State
from .project import Project, write

Run = Callable[..., Result]
ADDED = ["compat_matrix.yaml", "patches/17-base-run.yaml", "patches/17-engine-home.yaml"]


def take_changes(project: Project, to: str) -> None:
    target = project.root / to
    shutil.copy(project.plugin / "compat_matrix.yaml", target)
    shutil.copytree(project.plugin / "patches", target / "patches")


def test_a_shallow_clone_with_a_detached_head(state: State, run: Run, project: Project) -> None:
    """As actions/checkout leaves it."""
    write(project.plugin, {"more.txt": "x"})
    project.git(project.plugin, "add", "more.txt")
    project.git(project.plugin, "commit", "--quiet", "-m", "More")
    project.git(project.plugin, "push", "--quiet", "origin", "main")
    project.git(project.root, "clone", "--quiet", "--depth=1", f"file://{project.remote}", "shallow")
    project.git(project.root / "shallow", "checkout", "--quiet", "--detach")
    take_changes(project, "shallow")
    done = run("pr", "--backend", str(project.root / "shallow"))
    assert done.exit_code == 0, done.output
    assert project.shown("diff", "--name-only", "main", "syncbot/patches") == ADDED
    assert project.shown("rev-list", "--count", "syncbot/patches") == ["3"]


def test_a_linked_worktree(state: State, run: Run, project: Project) -> None:
    project.git(project.plugin, "worktree", "add", "--quiet", "../linked")
    take_changes(project, "linked")
    before = project.files()
    done = run("pr", "--backend", str(project.root / "linked"))
    assert done.exit_code == 0, done.output
    assert project.files() == before
    assert project.shown("diff", "--name-only", "main", "syncbot/patches") == ADDED


def test_a_remote_beside_the_repository(state: State, run: Run, project: Project) -> None:
    project.git(project.plugin, "remote", "set-url", "origin", "../remote.git")
    assert run("pr", "--backend", str(project.plugin)).exit_code == 0
    assert project.shown("diff", "--name-only", "main", "syncbot/patches") == ADDED


def test_hooks_do_not_run(state: State, run: Run, project: Project) -> None:
    hook = project.plugin / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {project.root}/ran\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    assert run("pr").exit_code == 0
    assert not (project.root / "ran").exists()


def test_a_branch_that_moved_meanwhile(project: Project) -> None:
    with checkout(project.plugin) as found:
        push = GitPush(found, Remote(found.remote_url("origin")))
        first = found.commit(found.head().tree.hexsha, "one")
        push.push(first, "b", None)
        assert push.at("b") == first
        assert push.at("other") is None
        second = found.commit(found.head().tree.hexsha, "two")
        for wrong in (None, second, found.head().hexsha):
            with pytest.raises(EnvironmentFailure, match=r"git push failed for .*\(stale info\)"):
                push.push(second, "b", wrong)
        assert project.pushed("b") == first
        push.push(second, "b", first)
        assert project.pushed("b") == second


def test_the_digest_of_a_change_is_that_of_gits_raw_diff(project: Project) -> None:
    """It is written into pull requests: another one would open again what somebody closed."""
    tool = project.plugin / "tool.sh"
    write(project.plugin, {"gone.txt": "x", "tool.sh": "x", "moved.txt": "a\nb\nc\nd\n"})
    project.git(project.plugin, "add", "--all")
    project.git(project.plugin, "commit", "--quiet", "-m", "More")
    (project.plugin / "gone.txt").unlink()
    (project.plugin / "moved.txt").rename(project.plugin / "d\u00e9 j.txt")
    tool.chmod(0o755)
    with checkout(project.plugin) as found:
        tree = found.tree_with(["gone.txt", "tool.sh", "moved.txt", "d\u00e9 j.txt"])
        raw = found.repository.run("diff-tree", "-r", "-z", "--no-renames", "HEAD", tree, "--").split("\0")
        new = [(path, *told.split()[1:4:2]) for told, path in zip(raw[:-1:2], raw[1::2], strict=True)]
        assert found.digest(tree) == hashlib.sha256(repr(new).encode()).hexdigest()[:16]
        assert [(c.status, c.path) for c in found.changes(tree)] == [
            ("A", "d\u00e9 j.txt"), ("D", "gone.txt"), ("D", "moved.txt"), ("M", "tool.sh"),
        ]  # fmt: skip


def test_the_identity_and_the_message_of_a_commit(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Zo\u00eb")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "zoe@example.org")
    with checkout(project.plugin) as found:
        made = found.commit(found.head().tree.hexsha, "One\n\nTwo \u2026\n")
        text = found.repository.run("cat-file", "commit", made)
        assert "author Zo\u00eb <zoe@example.org> " in text
        assert text.endswith("\n\nOne\n\nTwo \u2026\n")
        assert found.repository.run("fsck", "--no-dangling", made) == ""
        own = found.repository.git.environment()["GIT_OBJECT_DIRECTORY"]
        assert (Path(own) / made[:2] / made[2:]).is_file()
    assert not (project.plugin / ".git" / "objects" / made[:2] / made[2:]).exists()


@pytest.mark.parametrize(
    ("url", "host", "key"),
    [
        ("https://github.com/o/n.git", "github.com", "http.https://github.com/.extraHeader"),
        ("https://ghe.example:8443/o/n", "ghe.example", "http.https://ghe.example:8443/.extraHeader"),
        ("http://github.com/o/n.git", "github.com", None),
        ("https://github.com.evil.example/o/n", "github.com", None),
        ("git@github.com:o/n.git", "github.com", None),
        ("ssh://git@github.com/o/n.git", "github.com", None),
    ],
)
def test_which_remote_is_given_the_token(url: str, host: str, key: str | None) -> None:
    variables = Remote(url, Token(TOKEN), host).environment()
    assert variables.get("GIT_CONFIG_KEY_1") == key
    assert bool(variables) is (key is not None)
    assert Remote(url, None, host).environment() == {}


@pytest.mark.parametrize(
    ("api", "host"),
    [("https://api.github.com", "github.com"), ("https://ghe.example/api/v3", "ghe.example"), ("https://api.octo.ghe.com", "octo.ghe.com")],
)  # fmt: skip
def test_the_host_of_an_api(api: str, host: str) -> None:
    assert web_host(api) == host


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/octocat/my.backend.git",
        "https://github.com/octocat/my.backend",
        "git@github.com:octocat/my.backend.git",
        "ssh://git@github.com:22/octocat/my.backend.git/",
        "github:octocat/my.backend",
    ],
)
def test_the_repository_of_a_remote(url: str) -> None:
    assert repository_name(None, {}, url) == "octocat/my.backend"
    assert repository_name(None, {"GITHUB_REPOSITORY": "a/b"}, url) == "a/b"
    assert repository_name("c/d", {"GITHUB_REPOSITORY": "a/b"}, url) == "c/d"


def test_the_remote_says_which_repository(
    state: State, run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_REPOSITORY")
    project.git(project.plugin, "remote", "set-url", "origin", f"https://github.com/{state.name}.git")
    done = run("report", "-", input="# Report\n")
    assert (done.exit_code, len(state.issues)) == (0, 1), done.output
    project.git(project.plugin, "remote", "set-url", "origin", os.fspath(project.remote))
    done = run("report", "-", input="# Report\n")
    assert done.exit_code == 2
    assert "give --repository OWNER/NAME" in done.stderr
