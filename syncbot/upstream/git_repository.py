"""A git repository as syncbot reads it: plumbing only, one process a range, one for all blobs."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from packaging.version import InvalidVersion, Version

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.limits import Limits, too_long
from syncbot.upstream import git_log
from syncbot.upstream.git_command import Access, GitCommand
from syncbot.upstream.model import Commit, TreeEntry

# Requests written ahead to `cat-file --batch`; 512 lines of 65 bytes fit a pipe, so writing never blocks.
_WINDOW = 512
_LEAST_WINDOW, _WINDOW_BYTES = 16, 16 << 20
_CHUNK = 1 << 20
_DEFAULTS = Limits()
# What a `.git` file may hold.
_LONGEST_PATH = 1 << 16
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class GitRepository:
    r"""Read access to one repository; close it, or use it as a context manager. Nothing in it is run
    (`syncbot.upstream.git_command`). Odd bytes of a path are escaped (``caf\xe9.py``). Links and submodules
    have no blob in a `FileChange`; `tree` marks links by their mode and leaves submodules out. Another
    process needs ``git_dir`` and ``access`` alone. Raises EnvironmentFailure where there is none."""

    def __init__(self, git_dir: Path, access: Access = Access.FOREIGN, limits: Limits = _DEFAULTS) -> None:
        self.limits = limits
        self.git_dir = git_dir.absolute()
        self.access = access
        self._git = GitCommand(self.git_dir, access)
        self._batch: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        if not is_git_dir(self.git_dir):
            raise EnvironmentFailure(f"{git_dir} is not a git directory: give the path of a git repository")

    def __enter__(self) -> GitRepository:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that serves blobs; the next request starts it anew."""
        with self._lock:
            self._stop_batch()

    # References

    def resolve(self, ref: str) -> str:
        """The sha of what a tag, sha, branch or PEP 440 version names. Raises UsageError (nearest tags)."""
        version = _version(ref)
        texts = dict.fromkeys((ref, str(version))) if version is not None else ()
        tags = [f"refs/tags/{prefix}{text}" for text in texts for prefix in ("v", "")]
        sha = next(filter(None, self._commits([ref, *tags])), None)
        if sha is None and version is not None:
            # 0.32 and 0.32.0 are one version
            same = [tag for tagged, tag in self.version_tags() if tagged == version]
            sha = self._commits([f"refs/tags/{same[0]}"])[0] if same else None
        if sha is None:
            raise UsageError(f"{self.git_dir} has no commit {ref!r}: {self._nearest(ref)}")
        return sha

    def commit(self, name: str) -> str | None:
        """The sha of the commit that git calls so; None where there is none."""
        return self._commits([name])[0]

    def history_head(self, branch: str | None = None) -> str:
        """The head of ``branch``, else the default branch, else the newest version tag. Raises UsageError."""
        if branch is not None:
            return self.resolve(branch)
        if head := self._commits(["HEAD"])[0]:
            return head
        if tags := self.version_tags():
            return self.resolve(f"refs/tags/{tags[-1][1]}")
        newest = self._git.run(
            "for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(objectname)", "refs/heads"
        )
        if newest:
            return newest.decode().strip()
        raise UsageError(f"{self.git_dir} has no commits yet: fetch or commit something first")

    def version_tags(self, behind: str | None = None) -> list[tuple[Version, str]]:
        """The tags that are PEP 440 versions, oldest first; only those that ``behind`` has in its history."""
        merged = [f"--merged={self.resolve(behind)}"] if behind is not None else []
        tags = ((_version(tag.removeprefix("v")), tag) for tag in self._tags(*merged))
        return sorted((version, tag) for version, tag in tags if version is not None)

    def tagged_commits(self) -> dict[str, str]:
        """Commit → the newest tag of it that is a PEP 440 version. A tag of something else is none."""
        tags = [tag for _, tag in self.version_tags()]
        shas = self._commits(f"refs/tags/{tag}" for tag in tags)
        return {sha: tag for sha, tag in zip(shas, tags, strict=True) if sha is not None}

    def distance(self, old: str, new: str) -> int:
        """How many commits ``git log old..new`` would list."""
        return int(self._git.run("rev-list", "--count", *self._span(old, new), "--"))

    def date(self, commit: str) -> datetime:
        """The committer's date of a commit, with its own UTC offset."""
        text = self._git.run(
            "log", "-1", "--no-show-signature", "--date=raw", "--format=%cd", "--end-of-options", commit, "--"
        )
        return git_log.raw_date(text.decode().strip())

    # History

    def commits(
        self, old: str | None, new: str, since: datetime | None = None, until: datetime | None = None
    ) -> list[Commit]:
        """The commits of ``git log old..new``, newest first, with the files they change; a merge against its
        first parent. ``since`` and ``until`` (both included) are committer's dates."""
        limits = [f"--max-age={_epoch(since)}"] if since else []
        limits += [f"--min-age={_epoch(until)}"] if until else []
        span = self._span(old, new)
        self._prefetch_for_renames(limits, span)
        output = self._git.listing(
            "log", *git_log.OPTIONS, "-M", f"--format={git_log.FORMAT}", *limits, *span, "--"
        )
        return list(git_log.parse(output))

    def touching(self, paths: Sequence[str], old: str | None, new: str) -> list[Commit]:
        """The commits of ``git log old..new -- paths``, merges aside; renames are told as two files."""
        span = self._span(old, new)
        output = self._git.listing(
            *("--literal-pathspecs", "log", *git_log.OPTIONS, "--no-renames", "--full-diff", "--no-merges"),
            *(f"--format={git_log.FORMAT}", *span, "--", *paths),
        )
        return list(git_log.parse(output))

    def of_pull_request(self, number: int, new: str) -> list[Commit]:
        """The commits up to ``new`` whose subject ends in ``(#number)``, newest first."""
        output = self._git.listing(
            *("log", *git_log.OPTIONS, "-M", f"--format={git_log.FORMAT}", "--fixed-strings"),
            *(f"--grep=(#{number})", self.resolve(new), "--"),
        )
        return [commit for commit in git_log.parse(output) if commit.pr == number]

    def tree(self, commit: str, prefixes: Sequence[str] = ()) -> dict[str, TreeEntry]:
        """Path → entry of every file of a commit (below ``prefixes``, if any), submodules left out."""
        paths = [prefix.rstrip("/") + "/" if prefix.endswith("/") else prefix for prefix in prefixes]
        output = self._git.listing(
            "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", self.resolve(commit), "--", *paths
        )
        entries: dict[str, TreeEntry] = {}
        for record in output.split(b"\0")[:-1]:
            meta, _, raw_path = record.partition(b"\t")
            mode, kind, oid = meta.decode().split()
            if kind == "blob":
                path = git_log.decoded(raw_path)
                entries[path] = TreeEntry(path, oid, mode)
        return entries

    # Blobs

    def blob(self, oid: str) -> bytes:
        """The content of one blob. Raises EnvironmentFailure if the repository lacks it."""
        return next(self.blobs([oid]))[1]

    def blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Each blob with its content, or what stands for one that is too long (`syncbot.limits`), in order,
        from one process. Raises EnvironmentFailure."""
        wanted, count = iter(oids), _LEAST_WINDOW
        while window := list(islice(wanted, count)):
            with self._lock:
                contents = self._read(window)
            # What was read last says how many may be held at once.
            small = sum(map(len, contents)) < _WINDOW_BYTES
            count = min(2 * count, _WINDOW) if small else max(count // 2, 1)
            yield from zip(window, contents, strict=True)

    def prefetch(self, oids: Iterable[str]) -> None:
        """In a partial clone, fetch all of the missing blobs in one go. Raises EnvironmentFailure."""
        remote = self._promisor()
        if remote is None:
            return
        asked = list(dict.fromkeys(oids))
        # `cat-file --batch-check` would fetch each one by itself; with --missing nothing is fetched.
        known = self._git.run(
            *("rev-list", "--objects", "--no-object-names", "--no-walk=unsorted"),
            *("--missing=allow-any", "--ignore-missing", "--stdin"),
            input="".join(f"{oid}\n" for oid in asked).encode(),
        )
        present = set(known.decode().split())
        missing = [oid for oid in asked if oid not in present]
        if missing:
            self._git.run(
                *("-c", "fetch.negotiationAlgorithm=noop", "fetch", remote, "--quiet", "--no-tags"),
                *("--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none", "--stdin"),
                input="".join(f"{oid}\n" for oid in missing).encode(),
            )

    @property
    def store(self) -> Path:
        """The folder whose objects are read: that of another repository for a view of its releases."""
        borrowed = self.git_dir / "objects" / "info" / "alternates"
        if self.access is not Access.OWN or not borrowed.is_file():
            return self.git_dir
        return (self.git_dir / "objects" / borrowed.read_text().strip()).resolve().parent

    @property
    def is_partial(self) -> bool:
        """Whether this is a partial clone, which fetches what it lacks when it is asked for."""
        return self._promisor() is not None

    def present(self, oids: Iterable[str]) -> set[str]:
        """Those of some objects that the repository has without fetching anything."""
        asked = "".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode()
        output = self._git.run(
            *("cat-file", "--batch-check=%(objectname) %(objecttype)"),
            input=asked,
            environment={"GIT_NO_LAZY_FETCH": "1"},
        )
        found = (line.split() for line in output.decode().splitlines())
        return {name for name, kind in found if kind != "missing"}

    # Internals

    def _span(self, old: str | None, new: str) -> list[str]:
        return [self.resolve(new), *([f"^{self.resolve(old)}"] if old else [])]

    def _commits(self, names: Iterable[str]) -> list[str | None]:
        """The commit that each name leads to, None where there is none."""
        # What has a line break in it would be two questions.
        asked = [f"{name}^{{commit}}\n" if name and not {"\n", "\0"} & {*name} else "\n" for name in names]
        output = self._git.run(
            *("cat-file", "--batch-check=%(objectname)"),
            input="".join(asked).encode(errors="surrogateescape"),
        )
        told = output.decode("utf-8", "surrogateescape").splitlines()
        return [line if _SHA.fullmatch(line) else None for line in told]

    def _tags(self, *options: str) -> list[str]:
        output = self._git.run("for-each-ref", *options, "--format=%(refname:lstrip=2)", "refs/tags")
        return output.decode("utf-8", "backslashreplace").splitlines()

    def _nearest(self, ref: str) -> str:
        versions = self.version_tags()
        version = _version(ref.removeprefix("v"))
        if version is not None and versions:
            below = [tag for tagged, tag in versions if tagged < version][-2:]
            above = [tag for tagged, tag in versions if tagged > version][:2]
            return f"the nearest tags are {', '.join(below + above)}"
        tags = self._tags()
        near = difflib.get_close_matches(ref, tags, n=3, cutoff=0.5)
        if near:
            return f"the nearest tags are {', '.join(near)}"
        if tags:
            newest = [tag for _, tag in versions[-3:]] or tags[-3:]
            return f"its newest tags are {', '.join(newest)}"
        return "it has no tags, so give a branch or a commit sha"

    def _promisor(self) -> str | None:
        config = self._git.attempt("config", "--name-only", "--get-regexp", r"^remote\..*\.promisor$", "true")
        names = config.stdout.decode("utf-8", "surrogateescape").splitlines()
        return names[0].removeprefix("remote.").removesuffix(".promisor") if names else None

    def _prefetch_for_renames(self, limits: Sequence[str], span: Sequence[str]) -> None:
        """Without this, git would fetch the blobs for rename detection commit by commit."""
        if self._promisor() is None:
            return
        output = self._git.listing(
            "log", *git_log.OPTIONS, "--no-renames", f"--format={git_log.FORMAT}", *limits, *span, "--"
        )
        needed: list[str] = []
        for commit in git_log.parse(output):
            if {"A", "D"} <= {change.status for change in commit.files}:
                needed += [oid for file in commit.files for oid in (file.old_blob, file.new_blob) if oid]
        self.prefetch(needed)

    def _read(self, window: Sequence[str]) -> list[bytes]:
        if self._batch is None or self._batch.poll() is not None:
            self._batch = self._git.start("cat-file", "--batch", stdin=subprocess.PIPE)
        assert self._batch.stdin is not None
        assert self._batch.stdout is not None
        contents = []
        try:
            self._batch.stdin.write("".join(f"{oid}\n" for oid in window).encode())
            self._batch.stdin.flush()
            for oid in window:
                header = self._batch.stdout.readline().split()
                if len(header) != 3:
                    raise EnvironmentFailure(
                        f"{self.git_dir} has no blob {oid}: fetch it, or fetch the repository again"
                    )
                left = int(header[2])
                instead = too_long(left, self.limits)
                while instead is not None and left > 0:
                    left -= len(self._batch.stdout.read(min(left, _CHUNK))) or left
                contents.append(self._batch.stdout.read(left) if instead is None else instead)
                self._batch.stdout.read(1)
        except BaseException as error:
            # The pipe still holds answers to the rest of the window: nobody can use this process any more.
            self._stop_batch()
            if not isinstance(error, OSError):
                raise
            raise EnvironmentFailure(
                f"git cat-file stopped in {self.git_dir}: check it with git fsck"
            ) from error
        return contents

    def _stop_batch(self) -> None:
        if self._batch is not None:
            self._batch.kill()
            self._batch.communicate()
            self._batch = None


def is_git_dir(path: Path) -> bool:
    """Whether ``path`` is a git directory: of a repository, or of one of its linked worktrees."""
    return (path / "HEAD").is_file() and ((path / "objects").is_dir() or (path / "commondir").is_file())


def linked_git_dir(mark: Path) -> Path:
    """Where a ``.git`` file says that the git directory is. Raises UsageError where that is nowhere."""
    try:
        with mark.open("rb") as file:
            text = os.fsdecode(file.read(_LONGEST_PATH)).removeprefix("gitdir:").strip()
        target = (mark.parent / text).resolve()
        target.stat()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{mark} does not lead to a git directory: remove or fix it") from error
    return target


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _epoch(moment: datetime) -> int:
    return max(0, int(moment.timestamp()))
