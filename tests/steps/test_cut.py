"""How a range is cut: every commit once, in order, within the bounds."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from syncbot.steps.cut import StepBounds, cut
from syncbot.steps.model import JudgedCommit, Standing
from syncbot.upstream.model import Commit

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
COMMITS = st.lists(st.tuples(st.sampled_from(Standing), st.integers(0, 3_000)), max_size=30)


def judged(number: int, standing: Standing, lines: int) -> JudgedCommit:
    commit = Commit(f"{number:040x}", (f"{number - 1:040x}",), WHEN, "Ada", "Change", "", None, ())
    return JudgedCommit(commit, standing, (), (), (), lines)


@given(COMMITS, st.integers(1, 2_000), st.integers(1, 6))
def test_each_commit_is_in_one_step_and_the_bounds_hold(
    drawn: list[tuple[Standing, int]], lines: int, most: int
) -> None:
    commits = [judged(number, *each) for number, each in enumerate(drawn, 1)]
    steps = cut(f"{0:040x}", commits, StepBounds(lines, most))
    assert [each for step in steps for each in step.commits] == commits
    old = f"{0:040x}"
    for step in steps:
        heavy = [each for each in step.commits if each.standing is not Standing.HARMLESS]
        assert (step.old, step.new) == (old, step.commits[-1].commit.sha)
        assert step.lines == sum(each.lines for each in heavy)
        assert len(heavy) <= most
        assert step.lines <= lines or len(heavy) == 1
        old = step.new


@given(COMMITS)
def test_steps_are_as_few_as_the_order_allows(drawn: list[tuple[Standing, int]]) -> None:
    commits = [judged(number, *each) for number, each in enumerate(drawn, 1)]
    bounds = StepBounds(1_000, 4)
    steps = cut(f"{0:040x}", commits, bounds)
    for one, other in itertools.pairwise(steps):
        first = next(each for each in other.commits if each.standing is not Standing.HARMLESS)
        heavy = sum(each.standing is not Standing.HARMLESS for each in one.commits)
        assert one.lines + first.lines > bounds.lines or heavy + 1 > bounds.commits


def test_harmless_commits_alone_are_one_step() -> None:
    commits = [judged(number, Standing.HARMLESS, 5_000) for number in range(1, 9)]
    (step,) = cut("0" * 40, commits, StepBounds())
    assert (len(step.commits), step.lines) == (8, 0)
