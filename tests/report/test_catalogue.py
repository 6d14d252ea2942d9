from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

import pytest

from syncbot.errors import UsageError
from syncbot.impact.changed_files import Kind
from syncbot.impact.commit_messages import TYPES
from syncbot.impact.importance import LEVELS
from syncbot.impact.model import Verdict
from syncbot.report.catalogue import Words, languages, words
from syncbot.report.fact_sentences import KINDS, PARTS
from syncbot.report.formats import formats, render
from syncbot.report.model import Report


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def same_fields(english: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    assert other.keys() == english.keys()
    for key, text in english.items():
        theirs = other[key]
        if isinstance(text, str):
            assert isinstance(theirs, str), key
            assert fields(theirs) == fields(text), key
        else:
            assert not isinstance(theirs, str), key
            assert {frozenset(fields(form)) for form in theirs.values()} == {
                frozenset(fields(text["other"]))
            }, key


@pytest.mark.parametrize("language", languages())
def test_every_catalogue_has_the_same_keys_and_fields(language: str) -> None:
    same_fields(words("en").entries, words(language).entries)


@pytest.mark.parametrize("language", languages())
def test_every_type_level_kind_and_verdict_has_a_word(language: str) -> None:
    asked = [f"type_{name.replace(' ', '_')}" for name in TYPES] + [f"kind_{kind}" for kind in Kind]
    assert all(words(language)(key) for key in [*asked, *LEVELS, *Verdict])


@pytest.mark.parametrize("language", languages())
def test_every_kind_of_fact_has_a_sentence(language: str) -> None:
    entries = words(language).entries
    assert [kind for kind in KINDS if f"fact_{kind}" not in entries] == []
    assert [part for part in PARTS if f"parameter_{part}" not in entries] == []


def test_plural_forms() -> None:
    assert [words("en").count("commits", n) for n in (0, 1, 2)] == ["0 commits", "1 commit", "2 commits"]
    assert words("zh").count("commits", 1) == "1 个提交"
    with pytest.raises(KeyError, match="ask for it with count"):
        Words("en", {"a": {"other": "{n}"}})("a")


def test_an_unknown_language_names_those_there_are(report: Report) -> None:
    with pytest.raises(UsageError, match=re.escape("no reports in 'fr': --lang takes en, zh")):
        render(report, "text", "fr")


def test_the_formats() -> None:
    assert formats()[0] == "text"
    assert {"json", "markdown"} < set(formats())
