"""The releases that a project runs on, in words and as a requirement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.version import Version

from syncbot.verify.release_ranges import borders, in_words, ranges, requirement


def runs(told: str) -> dict[Version, bool]:
    """``0.1.0 !0.2.0``: what runs, and what does not."""
    return {Version(word.removeprefix("!")): not word.startswith("!") for word in told.split()}


@pytest.mark.parametrize(
    ("told", "words", "written"),
    [
        ("0.22.0 0.22.1 0.27.0 !0.28.0 !0.28.1 0.29.0 0.31.0", "0.22 to 0.27 and 0.29 to 0.31",
         "lib>=0.22,<0.32,!=0.28.*"),
        ("0.22.1 0.23.0", "0.22 to 0.23", "lib>=0.22.1,<0.24"),
        ("!0.22.0 0.22.1 0.23.0 !0.24.0", "0.22.1 to 0.23", "lib>=0.22.1,<0.24"),
        ("0.22.0 !0.22.1 0.22.2", "0.22.0 and 0.22.2", "lib>=0.22,<0.23,!=0.22.1"),
        ("0.22.0 !0.22.1", "0.22.0", "lib>=0.22,<0.22.1"),
        ("0.1.0 !0.2.0 0.3.0 !0.4.0 0.5.0", "0.1, 0.3 and 0.5", "lib>=0.1,<0.6,!=0.2.*,!=0.4.*"),
        ("0.8.5.post1 !0.9.0", "0.8", "lib>=0.8.5.post1,<0.9"),
        ("!0.1.0", "", None),
    ],
)  # fmt: skip
def test_words_and_requirement(told: str, words: str, written: str | None) -> None:
    assert in_words(runs(told)) == words
    assert requirement("lib", runs(told)) == written


def test_where_the_answer_changes() -> None:
    told = [(str(b.before), str(b.behind), b.runs) for b in borders(runs("0.1.0 !0.2.0 !0.3.0 0.4.0"))]
    assert told == [("0.1.0", "0.2.0", False), ("0.3.0", "0.4.0", True)]


VERSIONS = st.builds(
    lambda major, minor, micro: Version(f"{major}.{minor}.{micro}"),
    st.integers(0, 2), st.integers(0, 4), st.integers(0, 3),
)  # fmt: skip


@given(st.dictionaries(VERSIONS, st.booleans(), min_size=1, max_size=14))
def test_the_requirement_allows_exactly_what_runs(told: dict[Version, bool]) -> None:
    written = requirement("lib", told)
    assert (written is None) is (not any(told.values()))
    if written is not None:
        assert {v: v in Requirement(written).specifier for v in told} == told
    assert bool(in_words(told)) is any(told.values())
    inside = [v for first, last in ranges(told) for v in told if first <= v <= last]
    assert sorted(inside) == sorted(v for v in told if told[v])
