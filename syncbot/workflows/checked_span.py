"""Which commits a check is asked for, and what its ends are called."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from syncbot.config import Config
from syncbot.lanes.matrix import Matrix
from syncbot.upstream.commit_range import Span, between, during
from syncbot.upstream.opening import Upstream

Period = tuple[datetime | None, datetime | None]


def pinned_version(config: Config, name: str | None, matrix: Matrix | None) -> str | None:
    """The version of an upstream that the backend is written for: the baseline if the matrix is of this
    upstream, else what its lane pins of the distribution; None where nothing says it."""
    if matrix is None:
        return None
    if name is None or name == matrix.upstream or name not in config.upstreams:
        return matrix.baseline
    distribution = config.upstreams[name].release or name
    stacks = [
        lane.stack.get(distribution) for lane in sorted(matrix, key=lambda lane: lane.tag != matrix.baseline)
    ]
    return next((version for version in stacks if version is not None), None)


def checked_span(upstream: Upstream, old: str | None, new: str | None, period: Period) -> Span:
    """The commits of a period, else those between two references; up to the newest where ``new`` is None."""
    repository = upstream.repository
    if not any(period):
        assert old is not None
        return between(repository, old, new or upstream.head)
    if upstream.kind == "git":
        return during(repository, upstream.head, *period)
    # A history of releases was made for the period: it begins with the one before.
    return between(repository, repository.version_tags()[0][1], upstream.head)


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
