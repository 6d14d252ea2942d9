"""A witness, how it ended, and what its two endings say."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.impact.model import Outcome


@dataclass(frozen=True, slots=True)
class Program:
    """A witness: Python text that raises, where the finding is right, one of ``errors`` with every one of
    ``words`` in its message. ``imports`` are the upstream modules that it needs."""

    text: str
    errors: tuple[str, ...]
    words: tuple[str, ...]
    imports: tuple[str, ...]


class NotWitnessable(Exception):
    """A finding that no program of a few lines can show; its text says why."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended: the names of the class of what it raised and of its bases, none where it ended
    well; the message; the seconds that it took, imports that others needed as well left out."""

    raised: tuple[str, ...]
    message: str
    seconds: float


def judged(program: Program, before: Ending, after: Ending) -> tuple[Outcome, str]:
    """The outcome of two runs, before the change and after it, and why. Only what raises for the very reason
    that was told is witnessed, and only what ends well on both sides contradicts."""
    if before.raised:
        return Outcome.NOT_WITNESSABLE, f"it fails before the change as well: {shown(before)}"
    if not after.raised:
        return Outcome.CONTRADICTED, "it ends well on both sides"
    if set(program.errors).isdisjoint(after.raised) or not all(
        word in after.message for word in program.words
    ):
        return Outcome.NOT_WITNESSABLE, f"it fails after the change for another reason: {shown(after)}"
    return Outcome.WITNESSED, shown(after)


def shown(ending: Ending) -> str:
    """The last line of a traceback."""
    line = next((line for line in ending.message.splitlines() if line.strip()), "")
    return f"{ending.raised[0]}: {line}" if ending.raised else "no error"
