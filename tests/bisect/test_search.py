from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from syncbot.bisect.search import NoSwitch, Outcome, Verdict, all_switches, first_bad, halving_runs

GOOD, SKIP = Outcome(Verdict.GOOD), Outcome(Verdict.SKIP)
WEIGHTS = st.floats(min_value=1e-6, max_value=10)


def bad(mark: str = "x") -> Outcome:
    return Outcome(Verdict.BAD, mark)


class Counted:
    """A probe that counts the commits it was asked for, each once as the kept runs do."""

    def __init__(self, outcomes: list[Outcome]) -> None:
        self.outcomes = outcomes
        self.asked: set[int] = set()

    def __call__(self, position: int) -> Outcome:
        self.asked.add(position)
        return GOOD if position < 0 else self.outcomes[position]


@st.composite
def monotone(draw: st.DrawFn, skips: bool = False) -> tuple[list[float], list[Outcome], int]:
    weights = draw(st.lists(WEIGHTS, min_size=1, max_size=60))
    answer = draw(st.integers(0, len(weights) - 1))
    outcomes = [GOOD if i < answer else bad() for i in range(len(weights))]
    if skips:
        for position in (
            draw(st.sets(st.integers(0, len(weights) - 2), max_size=20)) if len(weights) > 1 else ()
        ):
            outcomes[position] = SKIP
    return weights, outcomes, answer


@given(monotone())
def test_the_first_bad_commit_of_a_monotone_range_is_found_and_proven(
    case: tuple[list[float], list[Outcome], int],
) -> None:
    weights, outcomes, answer = case
    probe = Counted(outcomes)
    found = first_bad(weights, probe)
    assert (found.before, found.candidates) == (answer - 1, (answer,))
    assert {answer - 1, answer} <= probe.asked
    assert found.new == bad()


@given(monotone(skips=True))
def test_skipped_commits_widen_the_answer_and_never_falsify_it(
    case: tuple[list[float], list[Outcome], int],
) -> None:
    weights, outcomes, answer = case
    found = first_bad(weights, Counted(outcomes))
    assert answer in found.candidates
    assert found.candidates == tuple(range(found.before + 1, found.last + 1))
    assert found.before == -1 or outcomes[found.before] == GOOD
    assert outcomes[found.last] == bad()
    assert all(outcomes[i] == SKIP for i in found.candidates[:-1])


@given(st.integers(1, 300), st.data())
def test_without_suspicions_it_takes_as_many_runs_as_halving(count: int, data: st.DataObject) -> None:
    answer = data.draw(st.integers(0, count - 1))
    probe = Counted([GOOD if i < answer else bad() for i in range(count)])
    first_bad([1.0] * count, probe)
    most = math.ceil(math.log2(count)) if count > 1 else 0
    # The ends are proven too where the answer rests on them.
    assert len(probe.asked - {-1, count - 1}) <= most
    assert halving_runs(count, answer) <= most


@given(st.integers(3, 300), st.data())
def test_the_right_suspect_takes_two_runs(count: int, data: st.DataObject) -> None:
    answer = data.draw(st.integers(0, count - 1))
    weights = [1e-6] * count
    weights[answer] = 1.0
    probe = Counted([GOOD if i < answer else bad() for i in range(count)])
    assert first_bad(weights, probe).candidates == (answer,)
    assert probe.asked == {answer - 1, answer}


def test_ends_that_are_otherwise_are_named() -> None:
    with pytest.raises(NoSwitch) as raised:
        first_bad([1.0] * 9, Counted([GOOD] * 9))
    assert raised.value.position == 8
    with pytest.raises(NoSwitch) as raised:
        first_bad([1.0] * 9, lambda position: bad())
    assert raised.value.position == -1


@given(st.lists(st.sampled_from([GOOD, bad("x"), bad("y")]), min_size=1, max_size=40))
def test_all_changes_told_are_changes(outcomes: list[Outcome]) -> None:
    probe = Counted(outcomes)
    try:
        found = all_switches([1.0] * len(outcomes), probe, range(len(outcomes)))
    except NoSwitch:
        assert outcomes == [GOOD] * len(outcomes)
        return
    every = [GOOD, *outcomes]
    real = {i for i in range(len(outcomes)) if every[i] != every[i + 1]}
    # With every commit a suspect, no change stays hidden.
    assert {switch.last for switch in found} == real
    assert all((s.old, s.new) == (every[s.last], every[s.last + 1]) for s in found)
    assert [s.last for s in found] == sorted(real)


def steps(*runs: tuple[int, Outcome]) -> Callable[[int], Outcome]:
    return Counted([outcome for count, outcome in runs for _ in range(count)])


def test_one_failure_after_another_is_two_bad_commits() -> None:
    probe = steps((5, GOOD), (20, bad("x")), (15, bad("y")))
    found = all_switches([1.0] * 40, probe, ())
    assert [(s.last, s.breaks) for s in found] == [(5, True), (25, True)]


def test_a_mended_break_is_seen_where_it_is_suspected() -> None:
    probe = steps((5, GOOD), (20, bad("x")), (10, GOOD), (5, bad("y")))
    found = all_switches([1.0] * 40, probe, [5])
    assert [(s.last, s.breaks) for s in found] == [(5, True), (25, False), (35, True)]


@given(monotone(skips=True))
def test_all_of_a_monotone_range_is_the_first(case: tuple[list[float], list[Outcome], int]) -> None:
    weights, outcomes, answer = case
    assume(outcomes[-1] != SKIP)
    found = all_switches(weights, Counted(outcomes), range(len(outcomes)))
    assert [answer in s.candidates for s in found] == [True]
