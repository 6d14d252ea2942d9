"""A commit of some files as they lie in the working tree, without touching anything of the user's.

It grows on a second index and in an object store of its own, which borrows from the repository's.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.git_command import Access, GitCommand, git_environment, reason, without_credentials

_IDENTITY = [f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
# What GitHub itself calls the user of a workflow; elsewhere a name that is nobody's account.
_ACTIONS = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")
_NOBODY = ("syncbot", "syncbot@localhost")


@dataclass(frozen=True, slots=True)
class Change:
    """A file that differs from HEAD: ``status`` is git's letter (A, M, D)."""

    status: str
    path: str


@dataclass(frozen=True, slots=True)
class Checkout:
    """A working tree and what git needs to look at it beside its own index and objects."""

    top: Path
    git: GitCommand
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(self, *args: str, input: bytes | None = None) -> str:
        """Return git's output. Raises EnvironmentFailure."""
        return self.git.run(*args, input=input, environment=dict(self.variables)).decode().rstrip("\n")

    def succeeds(self, *args: str) -> bool:
        """Return whether git says yes."""
        return self.git.attempt(*args, environment=dict(self.variables)).returncode == 0

    def head(self) -> str:
        """Return the commit that is checked out. Raises UsageError without one."""
        if not self.succeeds("rev-parse", "--verify", "--quiet", "HEAD^{commit}"):
            raise UsageError(f"{self.top} has no commit yet: make one first")
        return self.run("rev-parse", "HEAD^{commit}")

    def tree_with(self, paths: Sequence[str]) -> str:
        """Return the tree of HEAD with these paths as they lie in the working tree.

        Paths are relative to the top; folders count with all that is in them but hidden files; what git
        ignores is left out. Raises EnvironmentFailure.
        """
        self.run("read-tree", "HEAD")
        for path in paths:
            there = os.path.lexists(self.top / path) or self.run("ls-tree", "--full-tree", "HEAD", "--", path)
            if there and not self.succeeds("check-ignore", "--quiet", "--no-index", str(self.top / path)):
                hidden = [f":(top,exclude,glob){path}/**/{name}" for name in (".*", ".*/**")]
                self.run("add", "--all", "--", f":(top,literal){path}", *hidden)
        return self.run("write-tree")

    def changes(self, tree: str) -> list[Change]:
        """Return what a tree has that HEAD has not, by path."""
        listed = ("-r", "-z", "--no-renames", "--name-status")
        words = self.run("diff-tree", *listed, "HEAD", tree, "--").split("\0")
        return [Change(*pair) for pair in zip(words[:-1:2], words[1::2], strict=True)]

    def digest(self, tree: str) -> str:
        """Return a digest of what a tree changes: the same whatever HEAD it is changed from."""
        raw = self.run("diff-tree", "-r", "-z", "--no-renames", "HEAD", tree, "--").split("\0")
        # ":old-mode new-mode old-sha new-sha status", and the path.
        new = [(path, *told.split()[1:4:2]) for told, path in zip(raw[:-1:2], raw[1::2], strict=True)]
        return hashlib.sha256(repr(new).encode()).hexdigest()[:16]

    def commit(self, tree: str, message: str) -> str:
        """Return the sha of a new commit of a tree, on HEAD."""
        return self.run("commit-tree", tree, "-p", self.head(), "-F", "-", input=message.encode())

    def text_in_head(self, path: str) -> str:
        """Return a file's text in HEAD."""
        return self.git.run("cat-file", "blob", f"HEAD:{path}").decode("utf-8", "replace")

    def remote_url(self, name: str) -> str:
        """Return where a remote takes pushes; one that is asked over HTTP without the user in it.

        Raises UsageError if there is no such remote.
        """
        found = self.git.attempt("remote", "get-url", "--push", name)
        if found.returncode:
            raise UsageError(f"{self.top} has no remote {name!r}: name another with --remote")
        url = found.stdout.decode().strip()
        if urlsplit(url).scheme in ("http", "https"):
            return without_credentials(url)
        beside = self.top / url
        return str(beside.resolve()) if ":" not in url and beside.is_dir() else url


@contextmanager
def checkout(folder: Path) -> Iterator[Checkout]:
    """The working tree that a folder is in; new objects go when the block is left.

    Raises UsageError if it is in none, EnvironmentFailure without git.
    """
    top, git_dir, objects = _found(folder)
    with TemporaryDirectory(prefix="syncbot-publish-") as scratch:
        own = Path(scratch) / "objects"
        own.mkdir()
        variables = {
            "GIT_WORK_TREE": str(top),
            "GIT_INDEX_FILE": f"{scratch}/index",
            "GIT_OBJECT_DIRECTORY": str(own),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
        }
        plain = Checkout(top, GitCommand(git_dir, Access.OWN), variables)
        yield Checkout(top, plain.git, {**variables, **_identity(plain)})


def _found(folder: Path) -> tuple[Path, Path, Path]:
    asked = ("--show-toplevel", "--absolute-git-dir", "--path-format=absolute", "--git-path", "objects")
    line = ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "rev-parse", *asked]
    try:
        done = subprocess.run(
            line, cwd=folder, env=git_environment(Access.OWN), capture_output=True, check=False
        )
    except FileNotFoundError as error:
        raise EnvironmentFailure("git was not found: install git 2.31 or newer and put it on PATH") from error
    if done.returncode:
        raise UsageError(f"{folder.absolute()} is in no working tree of git: {reason(done.stderr)}")
    top, git_dir, objects = (Path(os.fsdecode(word)) for word in done.stdout.splitlines())
    return top, git_dir, objects


def _identity(found: Checkout) -> dict[str, str]:
    """Who commits: whom the environment or git's configuration names, else a name that says what did it."""
    given = {name: os.environ[name] for name in _IDENTITY if os.environ.get(name)}
    if len(given) == len(_IDENTITY):
        return given
    if found.succeeds("config", "--get", "user.name") and found.succeeds("config", "--get", "user.email"):
        return given
    name, email = _ACTIONS if os.environ.get("GITHUB_ACTIONS") == "true" else _NOBODY
    return {key: name if key.endswith("NAME") else email for key in _IDENTITY} | given
