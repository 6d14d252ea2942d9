# ruff: noqa: RUF001 - the punctuation of Chinese
"""Sentences about single facts, in English and Chinese."""

from __future__ import annotations

import pytest

from syncbot.impact.facts.model import Change
from syncbot.report.authors_words import quoted
from syncbot.report.catalogue import words
from syncbot.report.phrases import plain
from syncbot.report.sections import insight, risks

from .prose.facts import changed

LONG = "{" + ", ".join(f"'{n}': {n}" for n in range(60)) + "}"


def told(*changes: Change, language: str = "en") -> list[str]:
    return [plain(line) for line in insight(changed(*changes), words(language))]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("A, B, C", "A, D, B, C", "The bases of `e.X` change: added: `D`."),
        (None, "A, Generic[T, S]", "The bases of `e.X` change: added: `A`, `Generic[T, S]`."),
        ("A, B", "B, C", "The bases of `e.X` change: added: `C`; removed: `A`."),
        ("A, B", "B, A", "The bases of `e.X` are now `B, A`; before, `A, B`."),
        ("A", None, "The bases of `e.X` change: removed: `A`."),
    ],
)
def test_bases(before: str | None, after: str | None, sentence: str) -> None:
    assert told(Change("bases", "e.X", "e.py", before, after)) == [sentence]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (Change("field-added", "e.X.f", "e.py", None, "3"), "New field `e.X.f`, with the default `3`."),
        (Change("field-added", "e.X.f", "e.py"), "New field `e.X.f`, without a default."),
        (
            Change("field-removed", "e.X.f", "e.py"),
            "Field `e.X.f`, which had no default, is no longer declared.",
        ),
        (Change("variable-added", "e.f", "e.py"), "New module variable `e.f`, declared without a value."),
        (
            Change("variable-value", "e.f", "e.py", LONG, LONG + "|{}"),
            "Module variable `e.f` gets another value.",
        ),
        (Change("variable-value", "e.f", "e.py", "1", "2"), "Module variable `e.f` changes from `1` to `2`."),
    ],
)
def test_values(change: Change, sentence: str) -> None:
    assert told(change) == [sentence]


def test_many_entries_of_one_table_are_one_sentence() -> None:
    gone = [Change("registry-removed", f"e.T[k{n}]", "e.py", f"({n},)") for n in range(14)]
    single = Change("registry-removed", "e.S[a]", "e.py", "1")
    names = ", ".join(f"`k{n}`" for n in range(12))
    assert told(*gone, single) == [
        f"No longer entries of `e.T`: {names} and 2 more.",
        "Entry `e.S[a]` is removed; it was `1`.",
    ]
    assert told(*gone[:3], language="zh") == ["`e.T` 不再有条目：`k0`、`k1`、`k2`。"]


def test_variables_that_are_gone_are_a_risk() -> None:
    gone = [Change("environment-removed", f"ENGINE_{n}", "e.py") for n in range(3)]
    typed = Change("variable-removed", "e.ENGINE_1", "e.py", "None")
    names = "`ENGINE_0`, `ENGINE_1`, `ENGINE_2`"
    assert told(*gone, typed) == [f"Environment variables that are no longer read: {names}."]
    assert told(gone[0]) == ["Environment variable `ENGINE_0`, which had no default, is no longer read."]
    found = [plain(line) for line in risks(changed(*gone, typed), words("en"))]
    assert found == [f"Setting these environment variables has no effect any more: {names}."]


def test_a_default_is_told_once() -> None:
    values = ("e.py", "'a'", "'b'")
    both = changed(
        Change("variable-value", "e.SIZE", *values), Change("environment-changed", "SIZE", *values)
    )
    (found,) = risks(both, words("en"))
    assert plain(found) == "Code that relies on the value of `SIZE` gets `'b'` now; before, `'a'`."


def test_what_is_no_longer_declared_may_be_assigned_or_inherited() -> None:
    kept = Change("field-removed", "e.X.f", "e.py", kept=True)
    assert told(kept) == [
        "No longer declared in the body of the class, but still found on it or its instances: `X.f` in `e.py`."
    ]


PEOPLE = "Signed-off-by: A B <a@example.com>\nCo-authored-by: C\n D <c@example.com>"


@pytest.mark.parametrize(
    "trailers",
    [
        PEOPLE,
        PEOPLE.replace("\n", "\r\n"),
        "Cc: A B <a@example.com>",
        "File: toy-0.2.tar.gz\nSHA-256: 6d3c",
        "Change-Id: I6d3c",
        "Fixes: #12\nReviewed-by: A B <a@example.com>",
    ],
)
def test_trailers_are_not_quoted(trailers: str) -> None:
    assert quoted(trailers) == ""
    assert quoted(f"{trailers}\n\nWhy it is so.\n\n{trailers}") == "Why it is so."


@pytest.mark.parametrize(
    "words",
    [
        "Note: this is prose that goes on.",
        "Fix: something",
        "Follow-up: the rest of it",
        "Before: a list is read twice.\nAfter: it is read once.",
        "Note: short\nbut it goes on.",
        "It is slow\nFixes: #12",
        "Closes: #12 and what it left open",
    ],
)
def test_prose_with_colons_is_quoted(words: str) -> None:
    assert quoted(f"{PEOPLE}\n\n{words}\n\nMore.") == " ".join(words.split())
