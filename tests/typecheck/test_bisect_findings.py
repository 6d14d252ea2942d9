from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from syncbot.typecheck.bisect_findings import attribute


@given(length=st.integers(1, 60), data=st.data())
def test_every_case_is_given_to_the_change_where_it_appears(length: int, data: st.DataObject) -> None:
    truth = data.draw(st.dictionaries(st.integers(0, 30), st.integers(0, length - 1), max_size=8))
    positions = st.lists(st.integers(0, length - 1), max_size=4)
    hints = {case: data.draw(positions) for case in truth}
    asked: list[int] = []

    def probe(wanted: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
        asked.extend(wanted)
        return {p: frozenset(c for c in cases if truth[c] <= p) for p, cases in wanted.items()}

    assert attribute(length, hints, probe) == truth
    assert all(0 <= position < length - 1 for position in asked)


def found(states: Callable[[int], bool], length: int, likely: Sequence[int] = ()) -> int:
    def probe(wanted: Mapping[int, frozenset[str]]) -> dict[int, frozenset[str]]:
        return {place: cases if states(place) else frozenset() for place, cases in wanted.items()}

    return attribute(length, {"": likely}, probe)[""]


@given(states=st.lists(st.booleans(), min_size=1, max_size=40))
def test_a_case_that_comes_and_goes_is_given_to_a_change_where_it_comes(states: list[bool]) -> None:
    states[-1] = True
    guilty = found(states.__getitem__, len(states))
    assert states[guilty]
    assert guilty == 0 or not states[guilty - 1]


def test_a_good_hint_costs_two_questions() -> None:
    asked: list[int] = []

    def present(place: int) -> bool:
        asked.append(place)
        return place >= 700

    assert found(present, 1000, likely=[700]) == 700
    assert sorted(asked) == [699, 700]
