"""One module a kind of answer, found by its presence: from an impact to the rewrites that surely mend it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from syncbot.impact.model import Impact
from syncbot.migrate.planning_context import World
from syncbot.patching.registry import Rule


@dataclass(frozen=True, slots=True)
class Name:
    """A name that a rewrite uses in a function, and that has to be a parameter of it in the end."""

    file: str
    within: str
    name: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Rewrites that mend an impact, for its own files and ``files``; ``needs`` has to hold in the end.
    ``notes`` say what the rewrites leave to an author."""

    rules: tuple[Rule, ...]
    needs: tuple[Name, ...] = ()
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Author:
    """No rewrite is surely right: why, in one line."""

    why: str


Reply = Answer | Author | None
Answerer = Callable[[Impact, World], Reply]
_answerers: dict[str, tuple[int, Answerer]] = {}


def answerer(order: int) -> Callable[[Answerer], Answerer]:
    """Register a function ``(impact, world) -> reply``; None means that it is not its kind of impact.
    Those of a lower order are asked first."""

    def register(function: Answerer) -> Answerer:
        _answerers[function.__module__] = (order, function)
        return function

    return register


def answer(impact: Impact, world: World) -> Answer | Author:
    """The first rewrite that somebody gives; without one, why the first who knows the kind has none."""
    why: Author | None = None
    for ask in _ordered():
        reply = ask(impact, world)
        if isinstance(reply, Answer):
            return reply
        why = why or reply
    return why or Author(f"no rewrite is known for {impact.kind}")


@cache
def _ordered() -> Sequence[Answerer]:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return tuple(function for _, (_, function) in sorted(_answerers.items(), key=lambda i: (i[1][0], i[0])))
