"""A range of commits as one line: what a command is run on, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from syncbot.errors import UsageError
from syncbot.upstream.commit_range import Span, first_parent_line
from syncbot.upstream.model import Commit


@dataclass(frozen=True, slots=True)
class Line:
    """First parents after ``base``, oldest first; ``brought`` has the commits that came with each.
    ``releases`` are the tags of commits that stand for releases."""

    base: str
    commits: tuple[Commit, ...]
    brought: tuple[tuple[Commit, ...], ...]
    releases: Mapping[str, str] = field(default_factory=dict)

    def sha(self, position: int) -> str:
        """The commit at a position, the base at -1."""
        return self.base if position < 0 else self.commits[position].sha

    def name(self, sha: str) -> str:
        """A commit as a reader knows it: a release by its version."""
        return self.releases[sha].removeprefix("v") if sha in self.releases else sha[:10]


def line_of(span: Span, releases: Mapping[str, str]) -> Line:
    """The line of first parents through a span, whose ``releases`` have tags. Raises UsageError where there
    is nothing to search."""
    line = first_parent_line(span.commits, span.new)
    if not line:
        raise UsageError("both ends are one commit: name an older --from or a newer --to")
    if not line[0].parents:
        raise UsageError("the two ends have no history in common: name an ancestor of --to as --from")
    left = {commit.sha: commit for commit in span.commits}
    brought = tuple(tuple(_taken(commit.sha, left)) for commit in line)
    return Line(line[0].parents[0], tuple(line), brought, releases)


def _taken(sha: str, left: dict[str, Commit]) -> Iterable[Commit]:
    """The commit and all its ancestors that are still left, which are taken out."""
    stack = [sha]
    while stack:
        commit = left.pop(stack.pop(), None)
        if commit is not None:
            yield commit
            stack.extend(commit.parents)
