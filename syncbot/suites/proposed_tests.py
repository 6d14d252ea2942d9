"""Proposed changes of tests that pin the old upstream: the rewrites of patches, where they fit."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.file_rewrites import FileRewrites
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source
from syncbot.suites.classes import Classed


@dataclass(frozen=True, slots=True)
class Proposal:
    """A file of tests as it is and as it would be."""

    file: str
    before: str
    after: str

    @property
    def diff(self) -> str:
        """The change as git reads it."""
        old, new = (text.splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, f"a/{self.file}", f"b/{self.file}")
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


@dataclass(frozen=True, slots=True)
class Proposed:
    """The changes of tests that were proposed for a lane and written into a folder: their files, the tests in
    these that pin the old upstream, and the groups that fail even with the changes."""

    folder: Path
    files: tuple[str, ...]
    asked: tuple[str, ...]
    left: tuple[Classed, ...] = ()

    @property
    def follow(self) -> int:
        """How many of the tests pass with what was proposed."""
        return len(self.asked) - sum(len(each.group.differences) for each in self.left)

    @property
    def lines(self) -> Iterator[str]:
        """All of it: how many follow, and what stops the others."""
        follow = f"{self.follow} of {len(self.asked)} that pin the old upstream there pass with them"
        yield f"proposed changes of tests, in {self.folder} (files: {len(self.files)}): {follow}"
        for each in self.left:
            group, reason = each.group, f"  ({each.reason})" if each.reason else ""
            yield f"  {len(group.differences)}  {each.class_}  {group.message}{reason}"
            yield f"    at {group.where or 'no known place'}, such as {group.differences[0].node}"


@dataclass(slots=True)
class Pinning:
    """The groups and the tests that pin the old upstream in a file of tests."""

    groups: list[Classed] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)


def pinning(groups: Iterable[Classed]) -> dict[str, Pinning]:
    """Return the groups and tests that pin the old upstream, by file: the files of the tests, and all others
    in their tracebacks, such as a module of helpers."""
    found: dict[str, Pinning] = {}
    for each in groups:
        for difference in each.group.differences if each.class_ == "pins" else ():
            for file in {difference.node.partition("::")[0], *(f.file for f in difference.cause.frames)}:
                here = found.setdefault(file, Pinning())
                here.nodes.append(difference.node)
                if each not in here.groups:
                    here.groups.append(each)
    return found


def proposal(file: str, text: bytes, rules: Sequence[Rule], rewrites: FileRewrites) -> Proposal | None:
    """Return what rules make of a file of tests, None where that is nothing. A rule that is not sure of the
    file leaves it alone."""
    source = Source(text.decode("utf-8", "replace"), file)
    before = source.text
    for rule in rules:
        if not rule.may_change(file, source.text, forward=True):
            continue
        try:
            source = Source(rewrites.rewritten(rule, source, forward=True), file)
        except (NoMatch, CannotRewrite):
            continue
    return Proposal(file, before, source.text) if source.text != before else None


def write(found: Iterable[Proposal], folder: Path) -> None:
    """Write each as a file of its own, below the folder as the tests are below theirs. Raises
    EnvironmentFailure."""
    for each in found:
        write_file(folder / f"{each.file}.patch", each.diff.encode())


def changed(files: Mapping[str, bytes], found: Iterable[Proposal]) -> dict[str, bytes]:
    """The files of a lane and its tests with what is proposed."""
    return {**files, **{each.file: each.after.encode() for each in found}}
