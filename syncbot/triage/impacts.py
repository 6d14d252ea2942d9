"""Impacts of a range matched with an error: the same names, the same symbol, a line of the traceback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from syncbot.impact.model import Impact, Verdict
from syncbot.triage.backend_lines import Place
from syncbot.triage.diagnosis import Clue
from syncbot.triage.model import Symptom

_WORD = re.compile(r"[A-Za-z_]\w*")
_PARAMETERS = ("parameter-", "sibling-parameter-", "attribute-removed", "attribute-added", "method-renamed")
_GONE = ("-removed", "-moved", "-renamed", "-vanished", "-missing", "flag-removed", "device-api-used")
_IMPORTED = ("symbol-", "module-", "name-vanished")
# Kinds of error → what the kinds of impacts that make such errors are called, or a part of it.
_FITTING: Mapping[str, tuple[str, ...]] = {
    "unexpected-keyword": (*_PARAMETERS, "symbol-moved"),
    "missing-argument": _PARAMETERS,
    "too-many-arguments": _PARAMETERS,
    "no-attribute": (*_GONE, "attribute-added", "type-changed"),
    "cannot-import": _IMPORTED,
    "no-module": _IMPORTED,
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
        strength, reasons = _match(impact, symptom, lines, deepest)
        if reasons:
            yield Clue(
                impact.commit, min(strength * _WEIGHT[impact.verdict], 0.97), impact.message, "impact", impact
            )


def _match(
    impact: Impact, symptom: Symptom | None, lines: set[tuple[str, int]], deepest: Place | None
) -> tuple[float, list[str]]:
    """How strongly an impact speaks for an error, and by what; nothing where by too little."""
    found: dict[str, float] = {}
    here = {(place.file, place.line) for place in impact.locations}
    if here & lines:
        found["place"] = 0.3
        if deepest is not None and (deepest.path, deepest.frame.line) in here:
            found["place"] = 0.4
    elif deepest is not None and any(
        file == deepest.path and abs(line - deepest.frame.line) <= _NEAR for file, line in here
    ):
        found["near"] = 0.2
    if symptom is not None:
        if any(part in impact.kind for part in _FITTING.get(symptom.kind, ())):
            found["kind"] = 0.2
        told = _told(impact)
        if symptom.names and set(symptom.names) & told:
            found["name"] = 0.3
        if symptom.subject and _same_symbol(symptom.subject, impact):
            found["subject"] = 0.4 if "." in symptom.subject else 0.3
    exact = (
        "kind" in found and "name" in found and ("subject" in found or "place" in found or "near" in found)
    )
    some = "kind" in found and ({"name", "subject"} & found.keys() or found.get("place", 0.0) >= 0.4)
    drifted = "place" in found and symptom is not None and not _FITTING.get(symptom.kind)
    if not (exact or some or drifted):
        return 0.0, []
    return sum(found.values()) + (0.1 if exact else 0.0), list(found)


def _told(impact: Impact) -> set[str]:
    """The names an impact speaks of: the last part of its symbol, and those of its details."""
    names = {impact.symbol.rpartition(".")[2]}
    for key, value in impact.details.items():
        if key not in ("old", "new", "contract", "callable"):
            names.update(_WORD.findall(value))
    return names


def _same_symbol(subject: str, impact: Impact) -> bool:
    """Whether the end of a name as an error prints it is that of the impact's symbol, or of one of ours
    that overrides it."""
    parts = subject.replace(".<locals>", "").split(".")
    symbol = impact.symbol.split(".")
    if len(parts) > 1 and parts[-1] in ("__init__", "__new__") and symbol[-1] == parts[-2]:
        return True
    if symbol[-len(parts) :] == parts and (len(parts) > 1 or len(symbol) == 1 or parts[0][:1].isupper()):
        return True
    if subject == ".".join(symbol[:-1]) or subject == impact.symbol:
        return True
    owners = {name.rpartition(".")[2] for name in impact.details.get("classes", "").split(",") if name}
    return len(parts) > 1 and parts[-2] in owners and parts[-1] == symbol[-1]
