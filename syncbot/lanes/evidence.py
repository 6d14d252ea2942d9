"""The results of checks, in full and as a line of the matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import model_validator

from syncbot.lanes.dependence import Present
from syncbot.patching.yaml_documents import Document

Outcome = Literal["pass", "fail", "unknown", "unsupported"]

#: How much of a digest stands in the matrix, and of a moment: the day.
_DIGEST, _DAY = 12, 10
_STALE = "stale"
#: What evidence had until checks told what they execute.
_FORMER = ("beside", "used")


class PlantedFault(Document):
    """A fault that was put into a run: how often it took effect, in which words the run ``noticed`` it, if it
    did, and why it is known to be ``blind`` to it."""

    took_effect: int
    noticed: str | None = None
    blind: str | None = None

    def as_text(self) -> str:
        """Whether it took effect and was noticed, in one line."""
        if not self.took_effect:
            return "never met"
        known = f"blind: {self.blind}" if self.blind is not None else "not noticed"
        return (
            f"took effect {self.took_effect} times, {f'noticed: {self.noticed}' if self.noticed else known}"
        )


class TestedSuite(Document):
    """The outcome of the tests that a plugin brings along: the ``file`` with a line for each, beside this
    one, how many tests there are of each outcome, and how many of each class pass on the release and not
    here."""

    file: str
    counts: dict[str, int]
    differences: dict[str, int] | None = None


class Evidence(Document):
    """The result of one check: its command, its date, and the replacements of the stack that it ran with.
    ``executed`` are the functions that the result depends on, by file, None if the check did not report them;
    ``digest`` is that of them, and of the ``environment``, which is None for a check without one. It is
    ``stale`` once that digest is another. ``faults`` are those that it had to notice, ``suite`` are tests of
    the plugin's own."""

    status: Outcome = "unknown"
    command: str | None = None
    date: str | None = None
    digest: str | None = None
    details: str | None = None
    simulated_with: dict[str, str] | None = None
    environment: str | None = None
    executed: dict[str, tuple[str, ...]] | None = None
    faults: dict[str, PlantedFault] | None = None
    suite: TestedSuite | None = None
    stale: bool = False

    @model_validator(mode="before")
    @classmethod
    def _as_it_was_written(cls, found: Any) -> Any:
        """A line of the matrix, and what earlier versions wrote in place of it."""
        if isinstance(found, str):
            return _line_read(found)
        return without(found, _FORMER)

    @model_validator(mode="after")
    def _proven(self) -> Self:
        if self.status != "unknown" and not (self.date and self.digest):
            raise ValueError(f"the status {self.status!r} needs date and digest as evidence")
        return self

    @property
    def line(self) -> str:
        """The line of the matrix for it: status, digest and day."""
        status = _STALE if self.stale else self.status
        return " ".join([status, *filter(None, [(self.digest or "")[:_DIGEST], (self.date or "")[:_DAY]])])

    def is_of(self, line: Evidence) -> bool:
        """Whether a line of the matrix says this in short."""
        return self.model_copy(update={"stale": line.stale}).line == line.line

    def marked(self, present: Present) -> Evidence:
        """The same, stale if it is of something else than what is there now."""
        if self.digest is None:
            return self
        now = present.digest(self.executed, self.environment)
        return self.model_copy(update={"stale": now != self.digest})

    def says_the_same(self, other: Evidence) -> bool:
        """Whether another run said the same of the same."""
        return self.model_copy(update={"date": other.date, "stale": other.stale}) == other


def _line_read(line: str) -> dict[str, Any]:
    words = line.split()
    status = dict(zip(("status", "digest", "date"), words, strict=False))
    if not words or len(words) > 3 or (len(words) == 2 and words[0] != "unknown"):
        raise ValueError(f"{line!r} is not a status, a digest and a day")
    # What it said stands in the evidence alone.
    return {**status, "status": "unknown", "stale": True} if words[0] == _STALE else status


def without(found: Any, former: Iterable[str]) -> Any:
    """Return the data without the keys that an earlier version wrote."""
    if isinstance(found, dict):
        return {key: value for key, value in found.items() if key not in former}
    return found
