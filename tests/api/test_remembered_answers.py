"""Answers about texts come back without being made again, and without keeping the texts."""

from __future__ import annotations

import sys

from syncbot.api.remembered_answers import remembered


def test_an_answer_is_made_once_for_equal_texts_and_arguments() -> None:
    asked = []

    @remembered(10)
    def count(source: bytes, what: bytes) -> int | None:
        asked.append((source, what))
        return source.count(what) or None

    assert [count(b"abab", b"a"), count(bytes(bytearray(b"abab")), b"a"), count(b"abab", b"b")] == [2, 2, 2]
    assert [count(b"abba", b"x"), count(b"abba", b"x")] == [None, None]
    assert asked == [(b"abab", b"a"), (b"abab", b"b"), (b"abba", b"x")]


def test_what_was_not_asked_for_lately_is_forgotten() -> None:
    asked = []

    @remembered(2)
    def size(source: bytes) -> int:
        asked.append(source)
        return len(source)

    for text in (b"a", b"bb", b"a", b"ccc", b"bb"):
        assert size(text) == len(text)
    assert asked == [b"a", b"bb", b"ccc", b"bb"]


def test_the_text_is_not_kept() -> None:
    @remembered(10)
    def size(source: bytes) -> int:
        return len(source)

    text = bytes(bytearray(1000))
    before = sys.getrefcount(text)
    assert size(text) == 1000
    assert sys.getrefcount(text) == before
