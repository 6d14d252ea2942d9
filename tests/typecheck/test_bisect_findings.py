from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.typecheck.bisect_findings import attribute, guilty_commit


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


@given(states=st.lists(st.booleans(), min_size=1, max_size=40))
def test_a_case_that_comes_and_goes_is_given_to_a_change_where_it_comes(states: list[bool]) -> None:
    states[-1] = True
    commits = [str(number) for number in range(len(states))]
    guilty = int(guilty_commit(commits, lambda sha: states[int(sha)]))
    assert states[guilty]
    assert guilty == 0 or not states[guilty - 1]


def test_a_good_hint_costs_two_questions() -> None:
    asked: list[str] = []

    def present(sha: str) -> bool:
        asked.append(sha)
        return int(sha) >= 700

    commits = [str(number) for number in range(1000)]
    assert guilty_commit(commits, present, likely=["700"]) == "700"
    assert sorted(asked) == ["699", "700"]


def test_an_empty_range_has_no_guilty_commit() -> None:
    with pytest.raises(ValueError, match="no guilty one"):
        guilty_commit([], lambda sha: True)
