"""Which commits a check is asked for, and what its ends are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from syncbot.config import Config
from syncbot.lanes.matrix import Matrix
from syncbot.upstream.commit_range import Span, between, during
from syncbot.upstream.opening import Upstream
from syncbot.upstream.releases import listed_versions
from syncbot.upstream.skipped_releases import with_skipped

Period = tuple[datetime | None, datetime | None]


def pinned_versions(config: Config, name: str | None, matrix: Matrix | None) -> Sequence[str]:
    """The versions of an upstream that the lanes stand for, that of the baseline first: the lanes themselves
    if the matrix is of this upstream, else what their stacks pin of its distribution."""
    if matrix is None:
        return ()
    lanes = sorted(matrix, key=lambda lane: lane.tag != matrix.baseline)
    if name is None or name == matrix.upstream or name not in config.upstreams:
        return [lane.tag for lane in lanes]
    stacks = (lane.stack.get(config.upstreams[name].release or "") for lane in lanes)
    return list(dict.fromkeys(version for version in stacks if version is not None))


def checked_span(
    upstream: Upstream, pinned: Sequence[str], old: str | None, new: str | None, period: Period
) -> Span:
    """The commits of a period, else those between two references: from the first pinned version to the newest
    commit where they are not named."""
    repository = upstream.repository
    if any(period):
        span = during(repository, upstream.head, *period)
    else:
        span = between(repository, old or pinned[0], new or upstream.head)
    if upstream.kind != "release":
        return span
    listed = listed_versions(repository.git_dir)
    return replace(span, commits=with_skipped(span.commits, repository.tagged_commits(), listed))


def ends_in_words(upstream: Upstream, span: Span, period: Period, zone: tzinfo | None) -> tuple[str, str]:
    """The ends of the range in words: the tag of a commit that has one, else its short sha; of a period
    without commits, where both ends are one commit, its moments."""
    since, until = period
    if since is not None and not span.commits:
        moments = (since, until or datetime.now(UTC))
        first, last = (f"{moment.astimezone(zone):%Y-%m-%d %H:%M}" for moment in moments)
        return first, last
    tags = upstream.repository.tagged_commits()
    return tags.get(span.old, span.old[:10]), tags.get(span.new, span.new[:10])
