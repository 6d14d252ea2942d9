"""The git history of a range: which of its commits wrote a line, which changed how often a text occurs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from syncbot.upstream.commit_range import Span
from syncbot.upstream.git_command import GitCommand
from syncbot.upstream.git_repository import GitRepository

_ENTRY = re.compile(rb"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")


class RangeHistory:
    """The history of a span of commits in a repository."""

    def __init__(self, repository: GitRepository, span: Span) -> None:
        self._git = GitCommand(repository.git_dir, repository.access)
        self._span = span
        self._blamed: dict[tuple[str, frozenset[int]], Mapping[int, str]] = {}

    def wrote(self, path: str, lines: Iterable[int]) -> Mapping[int, str]:
        """Line → commit for those lines that the range wrote; empty where the file is too short."""
        key = (path, frozenset(lines))
        if key not in self._blamed:
            self._blamed[key] = self._blame(*key)
        return self._blamed[key]

    def changing(self, text: str, paths: Sequence[str]) -> list[str]:
        """The commits of the range, newest first, that changed how often a text occurs below ``paths``."""
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
