"""The answer to an impact: rewrites, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from syncbot.impact.model import Impact, Location
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


def joined(answers: Iterable[Answer]) -> Answer:
    """All that several answers say, each thing but a note once."""
    every = tuple(answers)
    return Answer(
        tuple(dict.fromkeys(chain.from_iterable(a.rules for a in every))),
        tuple(dict.fromkeys(chain.from_iterable(a.needs for a in every))),
        tuple(dict.fromkeys(chain.from_iterable(a.files for a in every))),
        tuple(chain.from_iterable(a.notes for a in every)),
    )


#: None means that an impact is of another kind.
Reply: TypeAlias = Answer | Author | None


def at_each_place(impact: Impact, ask: Callable[[Location], Reply]) -> Reply:
    """The answers for all places of an impact together, or what is said of the first place that has none."""
    answers: list[Answer] = []
    for place in impact.locations:
        reply = ask(place)
        if not isinstance(reply, Answer):
            return reply
        answers.append(reply)
    return joined(answers)
