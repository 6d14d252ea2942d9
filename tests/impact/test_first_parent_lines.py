"""A finding is attributed to the commit that made it, in a range with any branches and merges."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.impact.attribution import _search
from syncbot.impact.first_parent_lines import Lines, lines_of
from syncbot.upstream.model import Commit


def history(*parents: tuple[int, ...]) -> list[Commit]:
    """Commits by the places of their parents; -1 stands before the range."""
    when = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        Commit(str(place), tuple(map(str, above)), when, "A", "s", "", None, ())
        for place, above in enumerate(parents)
    ]


def ancestors(commits: list[Commit], place: int) -> set[int]:
    found: set[int] = set()
    waiting = [place]
    while waiting:
        at = waiting.pop()
        if at >= 0 and at not in found:
            found.add(at)
            waiting += [int(parent) for parent in commits[at].parents]
    return found


def guilty(commits: list[Commit], made: int, candidates: Collection[int]) -> int | None:
    search = _search(candidates, lines_of(commits))
    try:
        asked = next(search)
        while True:
            asked = search.send(made in ancestors(commits, asked))
    except StopIteration as end:
        found = end.value
    assert found is None or isinstance(found, int)
    return found


@st.composite
def histories(draw: st.DrawFn) -> list[Commit]:
    """Histories whose newest commit has all others among its ancestors, as a range has."""
    parents: list[tuple[int, ...]] = []
    ends = {-1}
    for place in range(draw(st.integers(1, 14))):
        some = st.integers(-1, place - 1)
        above = draw(st.lists(some, min_size=1, max_size=3, unique=True))
        parents.append(tuple(above))
        ends = (ends - set(above)) | {place}
    if len(ends) > 1:
        parents.append(tuple(sorted(ends, reverse=draw(st.booleans()))))
    return history(*parents)


@given(histories(), st.data())
def test_the_commit_that_made_it_is_found(commits: list[Commit], data: st.DataObject) -> None:
    made = data.draw(st.integers(0, len(commits) - 1))
    # Merges are candidates too: against their first parent they change what they bring in.
    others = data.draw(st.sets(st.integers(0, len(commits) - 1)))
    merges = {place for place, commit in enumerate(commits) if len(commit.parents) > 1}
    assert guilty(commits, made, {made, *others, *merges}) == made


def test_what_no_candidate_shows_is_nobodys() -> None:
    commits = history((-1,), (0,), (1,))
    assert guilty(commits, 2, {0, 1}) is None


def test_an_unrelated_branch_in_between_hides_nothing() -> None:
    # 1 made it; 2 is another branch; 3 merges both.
    commits = history((-1,), (0,), (0,), (0, 1, 2))
    lines = lines_of(commits)
    assert [lines.steps([place])[0] for place in range(4)] == [{0}, {3}, {3}, {3}]
    assert guilty(commits, 1, {1, 2, 3}) == 1


def test_commits_out_of_reach_make_one_line() -> None:
    # A range that is cut by dates: the parent of 1 is not in it.
    commits = history((-1,), (-1,), (1,))
    assert lines_of(commits) == Lines([0, 0, 0], [None], {})
    assert guilty(commits, 1, {1, 2}) == 1
    assert lines_of([]) == Lines([], [], {})


@pytest.mark.long
def test_merges_may_be_nested_as_deeply_as_they_like() -> None:
    """A line that is merged into a branch, again and again, as pulling without rebasing leaves it."""
    commits = history((-1,), *((-1, place) for place in range(3000)))
    assert guilty(commits, 0, set(range(3001))) == 0
    assert guilty(commits, 1700, set(range(3001))) == 1700
