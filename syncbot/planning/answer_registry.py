"""How answers are found and in which order they are asked: one module a kind of answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import IntEnum, auto
from functools import cache, wraps
from typing import TypeAlias

from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.package_modules import import_all
from syncbot.planning.model import Answer, Author, Reply, at_each_place
from syncbot.planning.new_annotations import annotated
from syncbot.planning.planning_context import PlanningContext

Answerer: TypeAlias = Callable[[Impact, PlanningContext], Reply]
PlaceAnswerer: TypeAlias = Callable[[Impact, Location, PlanningContext], Reply]
_answerers: dict[str, tuple[Phase, Answerer]] = {}


class Phase(IntEnum):
    """The evidence behind an answer, in the order in which the answerers are tried: the surest first."""

    DEFINITION = auto()
    """Upstream's own definition as it is now: the call, class or constructor has one right form."""

    STANDING_IN = auto()
    """The arguments that upstream passes to a function that replaces its own."""

    SHAPE = auto()
    """The shape that upstream's own values have now: what is returned, what tuples became."""

    COPY = auto()
    """Upstream's new form of the statement that ours is a copy of."""

    DELEGATION = auto()
    """The member that a removed member delegated to."""

    UPSTREAM_USERS = auto()
    """The replacement that all of upstream's own users of a name use."""

    SUBSTITUTE = auto()
    """The one expression that stands where upstream read a name."""

    RULE = auto()
    """The change itself: a rule of patches needs nothing more."""

    KEPT = auto()
    """Upstream's own definition as it was, kept in the backend."""


def answerer(phase: Phase) -> Callable[[Answerer], Answerer]:
    """Register a function ``(impact, context) -> reply``. Within a phase, modules are asked by name."""

    def register(function: Answerer) -> Answerer:
        _answerers[function.__module__] = (phase, function)
        return function

    return register


def place_answerer(
    phase: Phase, kinds: Collection[ChangeKind], contract: str
) -> Callable[[PlaceAnswerer], PlaceAnswerer]:
    """Register a function ``(impact, place, context) -> reply``, asked about each place of an impact of some
    kinds on one kind of contract; the first place without an answer decides."""

    def register(function: PlaceAnswerer) -> PlaceAnswerer:
        @wraps(function)
        def every(impact: Impact, context: PlanningContext) -> Reply:
            if impact.kind not in kinds or impact.contract != contract:
                return None
            return at_each_place(impact, lambda place: function(impact, place, context))

        answerer(phase)(every)
        return function

    return register


def answer(impact: Impact, context: PlanningContext) -> Answer | Author:
    """The first rewrite that somebody gives; without one, why the first who knows the kind has none."""
    why: Author | None = None
    for ask in _ordered():
        reply = ask(impact, context)
        if isinstance(reply, Answer):
            return annotated(reply, impact, context)
        why = why or reply
    return why or Author(f"no rewrite is known for {impact.kind}")


@cache
def _ordered() -> Sequence[Answerer]:
    import_all("syncbot.planning.answers")
    return tuple(function for _, (_, function) in sorted(_answerers.items(), key=lambda i: (i[1][0], i[0])))
