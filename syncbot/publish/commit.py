"""A commit of some files of the working tree, on a second index and in an object store of its own."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from syncbot.errors import UsageError
from syncbot.upstream.git_command import without_credentials
from syncbot.upstream.git_python import Actor, Commit, Diff
from syncbot.upstream.writable_repository import WritableRepository

NULL_HEX = "0" * 40
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
    """A working tree, with a second index and a second object store; ``actors`` are author and committer."""

    top: Path
    repository: WritableRepository
    actors: tuple[Actor, Actor]

    def head(self) -> Commit:
        """Return the commit that is checked out. Raises UsageError without one."""
        if not self.repository.head.is_valid():
            raise UsageError(f"{self.top} has no commit yet: make one first")
        return self.repository.head.commit

    def tree_with(self, paths: Sequence[str]) -> str:
        """The tree of HEAD with these paths as they lie in the working tree, without hidden files in folders
        and what git ignores. Raises EnvironmentFailure."""
        # GitPython's own index knows neither what git ignores nor its filters and line endings.
        run, succeeds = self.repository.run, self.repository.succeeds
        run("read-tree", "HEAD")
        for path in paths:
            there = os.path.lexists(self.top / path) or run("ls-tree", "--full-tree", "HEAD", "--", path)
            if there and not succeeds("check-ignore", "--quiet", "--no-index", str(self.top / path)):
                hidden = [f":(top,exclude,glob){path}/**/{name}" for name in (".*", ".*/**")]
                run("add", "--all", "--", f":(top,literal){path}", *hidden)
        return run("write-tree").strip()

    def changes(self, tree: str) -> list[Change]:
        """Return what a tree or a commit has that HEAD has not, by path."""
        return [Change(diff.change_type or "M", path) for path, diff in self._diffs(tree)]

    def digest(self, tree: str) -> str:
        """Return a digest of what a tree changes: the same whatever HEAD it is changed from."""
        new = [
            (path, f"{diff.b_mode or 0:06o}", diff.b_blob.hexsha if diff.b_blob else NULL_HEX)
            for path, diff in self._diffs(tree)
        ]
        return hashlib.sha256(repr(new).encode()).hexdigest()[:16]

    def _diffs(self, tree: str) -> Iterator[tuple[str, Diff]]:
        for diff in self.head().diff(tree, no_renames=True):
            yield diff.b_path or diff.a_path or "", diff

    def commit(self, tree: str, message: str) -> str:
        """Return the sha of a new commit of a tree, on HEAD."""
        author, committer = self.actors
        made = Commit.create_from_tree(
            self.repository, tree, message, [self.head()], author=author, committer=committer
        )
        return made.hexsha

    def text_in_head(self, path: str) -> str:
        """Return a file's text in HEAD."""
        content: bytes = (self.head().tree / path).data_stream.read()
        return content.decode("utf-8", "replace")

    def remote_url(self, name: str) -> str:
        """Return where a remote takes pushes, over HTTP without the user in it. Raises UsageError."""
        if not self.repository.succeeds("remote", "get-url", "--push", name):
            raise UsageError(f"{self.top} has no remote {name!r}: name another with --remote")
        url = self.repository.run("remote", "get-url", "--push", name).strip()
        try:
            over_http = urlsplit(url).scheme in ("http", "https")
        except ValueError as error:
            raise UsageError(f"the address of the remote {name!r} is no URL: {error}") from error
        if over_http:
            return without_credentials(url)
        beside = self.top / url
        return str(beside.resolve()) if ":" not in url and beside.is_dir() else url


@contextmanager
def checkout(folder: Path) -> Iterator[Checkout]:
    """The working tree that a folder is in; new objects go when the block is left. Raises UsageError."""
    with (
        closing(WritableRepository(folder)) as repository,
        TemporaryDirectory(prefix="syncbot-publish-") as scratch,
    ):
        if repository.working_tree_dir is None:
            raise UsageError(
                f"{folder.absolute()} is in no working tree of git: name the folder of a checkout"
            )
        own = Path(scratch) / "objects"
        own.mkdir()
        repository.git.update_environment(
            GIT_INDEX_FILE=f"{scratch}/index",
            GIT_OBJECT_DIRECTORY=str(own),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=_quoted(str(Path(repository.common_dir, "objects").resolve())),
        )
        repository.keep_objects_in(own)
        author, committer = (_actor(repository, role) for role in ("AUTHOR", "COMMITTER"))
        yield Checkout(Path(repository.working_tree_dir), repository, (author, committer))


def _quoted(path: str) -> str:
    """A path in a list of git's, which colons divide, unless they stand in quotes as of C."""
    escapes: dict[str, str | int | None] = {'"': r"\"", "\\": r"\\", "\n": r"\n"}
    return f'"{path.translate(str.maketrans(escapes))}"'


def _actor(repository: WritableRepository, role: str) -> Actor:
    """Who commits: whom the environment or git's configuration names, else a name that says what did it."""
    given = [os.environ.get(f"GIT_{role}_{what}") for what in ("NAME", "EMAIL")]
    known = [repository.succeeds("config", "--get", f"user.{what}") for what in ("name", "email")]
    if all(known):
        found = [repository.run("config", "--get", f"user.{what}").strip() for what in ("name", "email")]
    else:
        found = list(_ACTIONS if os.environ.get("GITHUB_ACTIONS") == "true" else _NOBODY)
    name, email = (mine or theirs for mine, theirs in zip(given, found, strict=True))
    return Actor(name, email)
