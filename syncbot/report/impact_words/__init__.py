"""Translates the English sentences of judges, planners and witnesses into the language of a report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from syncbot.contracts.changes import ArgumentDetails, MemberDetails, NameDetails, ParameterDetails
from syncbot.impact.model import Impact

_ENGLISH = "en"


class ImpactWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a language: for kinds of changes, for grounds, and for whole sentences with parts."""

    changes: Mapping[str, str]
    grounds: Mapping[str, str]
    reasons: Mapping[str, str]
    subject: str
    new_name: str
    why: str
    unfilled: str


def message(impact: Impact, language: str) -> str:
    """Return an impact's effect in words, from the facts of the change; in English, the judge's words."""
    if language == _ENGLISH:
        return impact.message
    words = words_of(language)
    said = words.changes[impact.kind].format(symbol=impact.symbol)
    subject = impact.details.subject
    if subject and subject != impact.symbol.rpartition(".")[2]:
        said += words.subject.format(subject=subject)
    if new := _new(impact):
        said += words.new_name.format(new=new)
    if impact.ground is not None:
        said += words.why.format(why=words.grounds[impact.ground])
    return said


def reason(sentence: str, language: str) -> str:
    """A sentence of a planner; one that the language has no words for is not told."""
    if language == _ENGLISH or not sentence:
        return sentence
    words = words_of(language)
    for pattern, told in _patterns(language):
        if found := pattern.fullmatch(sentence):
            return told.format(*found.groups())
    return words.unfilled


def _new(impact: Impact) -> str | None:
    match impact.details:
        case NameDetails(new=new) | MemberDetails(new=new):
            return new
        case ParameterDetails(old_name=str(old), parameter=parameter):
            return f"{old} → {parameter}"
        case ArgumentDetails(new_name=new):
            return new
    return None


@cache
def words_of(language: str) -> ImpactWords:
    """The words of a language other than English."""
    text = (files("syncbot.report.impact_words") / f"{language}.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=ImpactWords)


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The sentences of a language as patterns, those with the most words first."""
    sentences = sorted(words_of(language).reasons.items(), key=lambda item: -len(item[0]))
    return tuple(
        (re.compile(re.sub(r"\\\{\d\\\}", "(.+)", re.escape(english))), told) for english, told in sentences
    )
