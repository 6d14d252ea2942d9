"""Which of some blobs have a text in them."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api import blobs_with_text
from syncbot.api.blobs_with_text import Mentions

BLOBS = {"1": b"def run(x): ...", "2": b"run(1)", "3": b"", "4": b"# walk", "5": "né = rerun_".encode()}
TEXTS = ["run(", "run", "un", "def run", "walk", "é", "n\u00e9", ".run", "", "(", "no"]


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(sorted(BLOBS)), max_size=5),
            st.lists(st.sampled_from(TEXTS), max_size=3),
        )
    ),
    st.sampled_from([(200, 100), (1, 0), (2, 1)]),
)
def test_the_answer_is_that_of_the_text(
    questions: list[tuple[list[str], list[str]]], many_searches: tuple[int, int]
) -> None:
    many, searches = many_searches
    mentions = Mentions()
    with patch.multiple(blobs_with_text, _MANY=many, _SEARCHES=searches):
        _hold(mentions, questions)


def _hold(mentions: Mentions, questions: list[tuple[list[str], list[str]]]) -> None:
    for blobs, texts in questions:
        expected = [any(text.encode() in BLOBS[blob] for text in texts) for blob in blobs]
        assert list(mentions.among(mentions.numbers(blobs), texts, BLOBS.__getitem__)) == expected


def test_blobs_of_several_trees_are_read_by_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blobs_with_text, "_MANY", 1)
    monkeypatch.setattr(blobs_with_text, "_SEARCHES", 0)
    mentions, one, other = Mentions(), {"1": b"run(x)", "2": b""}, {"3": b"run(1)", "4": b"walk"}
    for texts, expected in ((["run("], [True, False]), (["walk", "un("], [True, False])):
        assert list(mentions.among(mentions.numbers(one), texts, one.__getitem__)) == expected
    assert list(mentions.among(mentions.numbers(other), ["run(", "walk"], other.__getitem__)) == [True, True]


def test_nothing_is_read_twice_for_a_text() -> None:
    mentions, asked = Mentions(), []

    def read(blob: str) -> bytes:
        asked.append(blob)
        return BLOBS[blob]

    numbers = mentions.numbers(BLOBS)
    assert list(mentions.among(numbers, ["run("], read)) == [True, True, False, False, False]
    assert list(mentions.among(numbers[::-1], ["run("], read)) == [False, False, False, True, True]
    assert asked == list(BLOBS)
    assert list(mentions.among(numbers, ["walk", "run("], read)) == [True, True, False, True, False]
    assert asked[5:] == list(BLOBS)


def test_after_many_searches_blobs_are_read_once_for_all_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blobs_with_text, "_MANY", 3)
    monkeypatch.setattr(blobs_with_text, "_SEARCHES", 1)
    mentions, asked = Mentions(), []

    def read(blob: str) -> bytes:
        asked.append(blob)
        return BLOBS[blob]

    numbers = mentions.numbers(BLOBS)
    for text in ("first", "walk", "run", "wal", "absent"):
        mentions.among(numbers, [text], read)
    assert asked == 2 * list(BLOBS)
    assert list(mentions.among(numbers, ["run("], read)) == [True, True, False, False, False]
    assert asked[10:] == ["1", "2", "5"]
