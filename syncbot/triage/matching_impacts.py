"""Impacts of a range matched with an error: the same names, the same symbol, a line of the traceback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from syncbot.impact.model import Impact, Verdict
from syncbot.triage.diagnosis import Clue
from syncbot.triage.log_paths import Place
from syncbot.triage.model import Symptom

_WORD = re.compile(r"[A-Za-z_]\w*")
_PARAMETERS = ("parameter-", "sibling-parameter-", "attribute-removed", "attribute-added", "method-renamed")
_GONE = ("-removed", "-moved", "-renamed", "-vanished", "-missing", "flag-removed", "device-api-used")
_IMPORTED = ("symbol-", "module-", "name-vanished")
# A module that is not there: what else was taken out of it does not matter.
_MODULES = ("module-",)
# Kinds of error → what the kinds of impacts that make such errors are called, or a part of it.
_FITTING: Mapping[str, tuple[str, ...]] = {
    "unexpected-keyword": (*_PARAMETERS, "symbol-moved"),
    "missing-argument": _PARAMETERS,
    "too-many-arguments": _PARAMETERS,
    "no-attribute": (*_GONE, "attribute-added", "type-changed"),
    "cannot-import": _IMPORTED,
    "no-module": _MODULES,
    "abstract-class": ("abstract-method", "method-left-open", "method-renamed"),
    "not-implemented": ("abstract-method", "method-left-open", "method-renamed"),
    "unpacking": ("return-shape", "type-changed"),
    "not-callable": ("type-changed", "return-shape", "-renamed", "-removed"),
    "wrong-use": ("type-changed", "return-shape"),
    "operator": ("operator", "device-api-used", *_GONE),
    "missing-key": ("-removed", "-renamed", "environment", "key"),
    "undefined-name": ("copied-body",),
}
_WEIGHT = {Verdict.BREAKS: 1.0, Verdict.AT_RISK: 0.9, Verdict.DRIFT: 0.5, Verdict.NONE: 0.0}
_NEAR = 4


def matching(impacts: Iterable[Impact], symptom: Symptom | None, places: Sequence[Place]) -> Iterator[Clue]:
    """A clue for each impact that may be what an error shows."""
    lines = {(place.path, place.frame.line) for place in places if place.ours}
    deepest = next((place for place in reversed(places) if place.ours), None)
    for impact in impacts:
        if not impact.commit:
            continue
        if strength := _strength(impact, symptom, lines, deepest):
            weighted = min(strength * _WEIGHT[impact.verdict], 0.97)
            yield Clue(impact.commit, weighted, impact.message, "impact", impact)


def is_about(impact: Impact, symptom: Symptom) -> bool:
    """Whether an impact is of the kind of an error, and about what that names."""
    words = _word_strengths(impact, symptom)
    return "kind" in words and ("subject" in words or "name" in words)


def names_symbol(impact: Impact, symptom: Symptom) -> bool:
    """Whether an error is of the kind of an impact, and names its symbol or what of ours overrides it."""
    words = _word_strengths(impact, symptom)
    last = symptom.subject.rpartition(".")[2] == impact.symbol.rpartition(".")[2]
    return "kind" in words and ("subject" in words or ("name" in words and last))


def _strength(
    impact: Impact, symptom: Symptom | None, lines: set[tuple[str, int]], deepest: Place | None
) -> float:
    """How strongly an impact speaks for an error; 0 where too little of it fits."""
    place = _place_strength({(at.file, at.line) for at in impact.locations}, lines, deepest)
    words = _word_strengths(impact, symptom) if symptom is not None else {}
    named, told = "name" in words, "subject" in words
    if symptom is not None and symptom.names and not named and "parameter-" in impact.kind:
        return 0.0  # what became of another parameter does not make this error
    exact = "kind" in words and named and (told or place > 0.0)
    some = "kind" in words and (named or told or place >= 0.4)
    drifted = place >= 0.3 and symptom is not None and not _FITTING.get(symptom.kind)
    if not (exact or some or drifted):
        return 0.0
    return sum([place, *words.values(), 0.1 * exact])


def _place_strength(here: set[tuple[str, int]], lines: set[tuple[str, int]], deepest: Place | None) -> float:
    """What the lines of an impact say: one of the traceback's, its deepest of ours, or one near that."""
    if here & lines:
        return 0.4 if deepest is not None and (deepest.path, deepest.frame.line) in here else 0.3
    near = deepest is not None and any(
        file == deepest.path and abs(line - deepest.frame.line) <= _NEAR for file, line in here
    )
    return 0.2 if near else 0.0


def _word_strengths(impact: Impact, symptom: Symptom) -> dict[str, float]:
    """What the words of an error have in common with an impact, by what it is."""
    found: dict[str, float] = {}
    if any(part in impact.kind for part in _FITTING.get(symptom.kind, ())):
        found["kind"] = 0.2
    if symptom.names and set(symptom.names) & _told(impact):
        found["name"] = 0.3
    if symptom.subject and _same_symbol(symptom.subject, impact):
        found["subject"] = 0.4 if "." in symptom.subject else 0.3
    return found


def _told(impact: Impact) -> set[str]:
    """The names an impact speaks of: the last part of its symbol, and those of its details."""
    return {impact.symbol.rpartition(".")[2]}.union(*map(_WORD.findall, impact.details.names))


def _same_symbol(subject: str, impact: Impact) -> bool:
    """Whether a name in an error ends as the impact's symbol does, or one of ours that overrides it."""
    parts = subject.replace(".<locals>", "").split(".")
    symbol = impact.symbol.split(".")
    if len(parts) > 1 and parts[-1] in ("__init__", "__new__") and symbol[-1] == parts[-2]:
        return True
    if symbol[-len(parts) :] == parts and (len(parts) > 1 or len(symbol) == 1 or parts[0][:1].isupper()):
        return True
    if subject == ".".join(symbol[:-1]) or subject == impact.symbol:
        return True
    owners = {name.rpartition(".")[2] for name in impact.classes}
    return len(parts) > 1 and parts[-2] in owners and parts[-1] == symbol[-1]
