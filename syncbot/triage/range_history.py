"""The git history of a range: which of its commits wrote a line, which changed how often a text occurs, and
which tags have a commit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from syncbot.upstream.commit_range import Span
from syncbot.upstream.git_command import GitCommand
from syncbot.upstream.git_repository import GitRepository

# A search of the whole range takes a second and more: so many are made, for the failures that come first.
_MOST_SEARCHES = 100
_ENTRY = re.compile(rb"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")


class RangeHistory:
    """The history of a span of commits in a repository."""

    def __init__(self, repository: GitRepository, span: Span) -> None:
        self._git = GitCommand(repository.git_dir, repository.access)
        self._span = span
        self._searched: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        self._blamed: dict[tuple[str, frozenset[int]], Mapping[int, str]] = {}

    def wrote(self, path: str, lines: Iterable[int]) -> Mapping[int, str]:
        """Line → commit for those lines that the range wrote; empty where the file is too short."""
        key = (path, frozenset(lines))
        if key not in self._blamed:
            self._blamed[key] = self._blame(*key)
        return self._blamed[key]

    @property
    def is_exhausted(self) -> bool:
        """Whether so many texts were searched for that no further ones are."""
        return len(self._searched) >= _MOST_SEARCHES

    def changing(self, text: str, paths: Sequence[str]) -> list[str]:
        """The commits of the range, newest first, that changed how often a text occurs below ``paths``; none
        for a new text where the history is exhausted."""
        key = (text, tuple(paths))
        if key not in self._searched and not self.is_exhausted:
            self._searched[key] = self._search(*key)
        return self._searched.get(key, [])

    def tags_with(self, sha: str) -> frozenset[str]:
        """The tags that have a commit in their history."""
        result = self._git.attempt("tag", "--contains", sha)
        return (
            frozenset(result.stdout.decode("utf-8", "replace").split())
            if not result.returncode
            else frozenset()
        )

    def _search(self, text: str, paths: Sequence[str]) -> list[str]:
        found = self._git.run(
            "--literal-pathspecs", "log", f"-S{text}", "--format=%H", "--no-ext-diff", "--no-textconv",
            "--no-show-signature", "--no-renames", "--diff-merges=first-parent", "--no-patch",
            f"{self._span.old}..{self._span.new}", "--", *paths,
        )  # fmt: skip
        return found.decode().split()

    def _blame(self, path: str, numbers: frozenset[int]) -> Mapping[int, str]:
        lines = [f"-L{number},{number}" for number in sorted(numbers)]
        result = self._git.attempt(
            "blame", "--porcelain", "-s", "--no-textconv", "--ignore-revs-file=", *lines,
            f"{self._span.old}..{self._span.new}", "--", path,
        )  # fmt: skip
        if result.returncode:
            return {}  # the file is not there, or shorter than the log says
        wrote: dict[int, str] = {}
        old: set[str] = set()
        last = ""
        for line in result.stdout.split(b"\n"):
            if (entry := _ENTRY.fullmatch(line)) is not None:
                last = entry[1].decode()
                wrote[int(entry[2])] = last
            elif line == b"boundary":
                old.add(last)
        return {number: sha for number, sha in wrote.items() if sha not in old}
