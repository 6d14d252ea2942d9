"""A judged finding, and what judges share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.impact.model import Verdict
from syncbot.typecheck.diagnostic_places import Place
from syncbot.typecheck.model import Finding
from syncbot.typecheck.printed_names import Names
from syncbot.typecheck.printed_signatures import Printed


@dataclass(frozen=True, slots=True)
class Case:
    """A judged finding. The guilty commit must have touched ``words`` and ``modules``; ``proven``: the
    upstream trees differ in just that. ``shows`` is a parameter that upstream's printed signature has then,
    ``lacks`` one that it has not."""

    finding: Finding
    engines: tuple[str, ...]
    kind: ChangeKind
    symbol: str
    ground: Ground
    confidence: float
    message: str
    words: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    proven: bool = False
    shows: str = ""
    lacks: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict that its ground leads to."""
        return self.ground.verdict


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a judge: one finding of one name, and the engines that found it."""

    finding: Finding
    place: Place
    engines: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name concerned, empty where the checker says none."""
        return self.finding.names[0] if self.finding.names else ""


Judge = Callable[[Subject, Names], Case | None]


def make_case(
    subject: Subject,
    kind: ChangeKind,
    symbol: str,
    ground: Ground,
    message: str,
    words: tuple[str, ...] = (),
    modules: tuple[str, ...] = (),
    proven: bool = False,
) -> Case:
    """The case of a subject; by default, ``words`` are its name, ``modules`` all that may hold the symbol."""
    homes = modules or _modules_of(symbol)
    used = words or tuple(w for w in (subject.name or symbol.rpartition(".")[2],) if w)
    of = (subject.finding, subject.engines, kind, symbol)
    return Case(*of, ground, ground.share, message, used, homes, proven)


def _modules_of(symbol: str) -> tuple[str, ...]:
    parts = symbol.split(".")
    return tuple(".".join(parts[:length]) for length in range(len(parts), 1, -1))


def callee_of(subject: Subject, names: Names) -> str | None:
    """The dotted name of the function a finding is about: as printed, else as called on the line."""
    owner = subject.finding.owner
    if "." in owner and (names.old.tree_of(owner) or names.new.tree_of(owner)):
        return owner
    short, _, method = owner.partition(".")
    if method and (found := names.class_named(short, subject.place)):
        return f"{found}.{method}"
    return called(subject, names, owner)


def called(subject: Subject, names: Names, last: str = "") -> str | None:
    """The dotted name of the upstream function that is called on the line (named ``last``, if given)."""
    place = subject.place
    for call in place.calls():
        text = dotted(call.func)
        if text is None or (last and text.rpartition(".")[2] != last):
            continue
        head, _, rest = text.partition(".")
        here = names.here(place)
        if head in ("self", "cls") and here and rest and "." not in rest:
            before, after = names.members(here, rest)
            found = after or before
            if found is not None and names.is_upstream(found.owner.name):
                return found.symbol
            continue
        symbol = names.new.local(place.file.module, text) or names.old.local(place.file.module, text)
        if symbol is None:
            continue
        if symbol.kind == "class":
            return f"{symbol.name}.__init__"
        if symbol.qualname and names.is_upstream(symbol.name):
            return symbol.name
    return None


def order(signature: Printed) -> list[str]:
    """The names of the parameters that can be passed by position."""
    return [p.name for p in signature.positional]


def changed_words(before: Printed | None, after: Printed | None, symbol: str) -> tuple[str, ...]:
    """The parameters that only one of two signatures has, else the name of the function."""
    name = symbol.rpartition(".")[2]
    if before is None or after is None:
        return (name,)
    return tuple(sorted({p.name for p in before.parameters} ^ {p.name for p in after.parameters})) or (name,)


def union_of(printed: str) -> set[str]:
    """The members of a printed union, unknown ones left out."""
    return {part.strip() for part in printed.split("|") if part.strip() not in ("", "Unknown")}


def only_none(ours: str, theirs: str) -> bool:
    """Whether two types differ by None alone."""
    return union_of(ours) - {"None"} <= union_of(theirs) or ours == "None"


def shorten(printed: str) -> str:
    """A printed type as a part of a sentence: on one line, and cut to fit."""
    printed = " ".join(printed.split())
    return printed if len(printed) <= 60 else printed[:57] + "…"
