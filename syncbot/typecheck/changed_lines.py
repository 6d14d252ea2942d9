"""Reads the changes of each commit in a range, line by line, from one ``git log``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.upstream.git_command import GitCommand
from syncbot.upstream.git_repository import GitRepository

_WORD = re.compile(r"[A-Za-z_]\w*")
_SEPARATOR = "\x01commit "


@dataclass(frozen=True, slots=True)
class FilePatch:
    """One file in one commit: paths before and after, the words taken out and put in, and the hunks."""

    old: str | None
    new: str | None
    removed: frozenset[str]
    added: frozenset[str]
    hunks: tuple[str, ...]

    @property
    def words(self) -> frozenset[str]:
        """All words of the changed lines."""
        return self.removed | self.added


@dataclass(frozen=True, slots=True)
class Change:
    """One commit of the first-parent history with the Python files it changed."""

    sha: str
    files: tuple[FilePatch, ...]


def changes(repository: GitRepository, old: str, new: str, prefixes: Sequence[str]) -> tuple[Change, ...]:
    """The commits of ``old..new`` along first parents, oldest first, that touch Python files below
    ``prefixes``; a merge is one change. Raises EnvironmentFailure if git fails."""
    git = GitCommand(repository.git_dir, repository.access)
    output = git.run(
        *("--literal-pathspecs", "log", "--first-parent", "--diff-merges=first-parent", "-p", "-U0", "-M"),
        *("--no-ext-diff", "--no-textconv", "--no-color", "--no-show-signature", "--reverse"),
        *("--src-prefix=a/", "--dst-prefix=b/", "--format=%x01commit %H", f"{old}..{new}", "--", *prefixes),
    )
    text = output.decode("utf-8", "replace")
    return tuple(_change(part) for part in text.split(_SEPARATOR)[1:])


def _change(text: str) -> Change:
    sha, _, rest = text.partition("\n")
    pieces = re.split(r"^diff --git .*\n", rest, flags=re.MULTILINE)[1:]
    return Change(sha.strip(), tuple(_file(piece) for piece in pieces))


def _file(text: str) -> FilePatch:
    head, *hunks = re.split(r"^(?=@@ )", text, flags=re.MULTILINE)
    paths: dict[str, str | None] = {"old": None, "new": None}
    for line in head.splitlines():
        if line.startswith("rename from "):
            paths["old"] = line[12:]
        elif line.startswith("rename to "):
            paths["new"] = line[10:]
        elif line.startswith("--- a/"):
            paths["old"] = line[6:].rstrip("\t")
        elif line.startswith("+++ b/"):
            paths["new"] = line[6:].rstrip("\t")
    removed: list[str] = []
    added: list[str] = []
    for hunk in hunks:
        for line in hunk.splitlines()[1:]:
            if line.startswith("-"):
                removed.append(line[1:])
            elif line.startswith("+"):
                added.append(line[1:])
    return FilePatch(
        paths["old"],
        paths["new"],
        frozenset(_WORD.findall("\n".join(removed))),
        frozenset(_WORD.findall("\n".join(added))),
        tuple(hunks),
    )
