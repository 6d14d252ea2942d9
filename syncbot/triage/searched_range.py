"""A range of upstream in which causes of failures are searched, looked at no further than is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from packaging.version import Version

from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees
from syncbot.patching.model import Patch
from syncbot.triage.failing_statement import shown, statement_at
from syncbot.triage.log_paths import KnownFiles, PathMap, Place
from syncbot.triage.range_history import RangeHistory
from syncbot.triage.tree_inquiry import Inquiry, module_of
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit


@dataclass
class SearchedRange:
    """The trees of a range, what finds its impacts when they are asked for (with their rewrites, where causes
    are told with these), and the existing patches. What ran is the newer end, or the older one if it
    ``is_reversed``."""

    trees: Trees
    span: Span
    find_impacts: Callable[[], Sequence[Impact]]
    patches: Sequence[Patch] = ()
    is_reversed: bool = False
    _read: dict[tuple[str, bool], bytes] = field(default_factory=dict)

    @property
    def ran(self) -> str:
        """The commit that failed."""
        return self.span.old if self.is_reversed else self.span.new

    @cached_property
    def inquiry(self) -> Inquiry:
        """Answers questions along the range."""
        return Inquiry(self.trees, self.span)

    @cached_property
    def history(self) -> RangeHistory:
        """Git's history of the range."""
        return RangeHistory(self.trees.repository, self.span)

    @cached_property
    def impacts(self) -> Sequence[Impact]:
        """The impacts, looked for once."""
        return tuple(self.find_impacts())

    @cached_property
    def commits(self) -> Mapping[str, Commit]:
        """The commits of the range by sha, newest first."""
        return {commit.sha: commit for commit in self.span.commits}

    def with_statement(self, place: Place) -> Place:
        """A place with the whole statement it stands in, and its source, where the file reads as the log."""
        statement = statement_at(self._text(place), place.frame.line, place.frame.code)
        if statement is None:
            return place
        code = shown(statement)
        return replace(place, frame=replace(place.frame, code=code), statement=statement)

    def _text(self, place: Place) -> bytes:
        key = (place.path, place.ours)
        if key not in self._read:
            if place.ours:
                text = next((f.text for f in self.trees.backend.files if f.path == place.path), b"")
            else:
                module = module_of(place.path, self.trees.packages)
                text = (self.trees.tree(self.ran).source(module) if module is not None else None) or b""
            self._read[key] = text
        return self._read[key]

    @cached_property
    def map(self) -> PathMap:
        """Finds the files that frames name."""
        ours = self.trees.backend
        return PathMap(
            KnownFiles([file.path for file in ours.files], ours.packages),
            KnownFiles(self.upstream_paths, self.trees.packages),
        )

    @cached_property
    def upstream_paths(self) -> set[str]:
        """The paths of upstream's modules at both ends."""
        ends = (self.span.old, self.span.new)
        return {path for end in ends for path, _ in self.trees.tree(end).modules.values()}

    def first_release(self, sha: str) -> str | None:
        """The tag of the first version that has a commit, None where no tag does."""
        tags = self.history.tags_with(sha)
        versions = [(v, tag) for v, tag in self.trees.repository.version_tags() if tag in tags]
        finals = [each for each in versions if not _is_early(each[0])]
        return min(finals or versions, default=(None, None))[1]


def _is_early(version: Version) -> bool:
    return version.is_prerelease
