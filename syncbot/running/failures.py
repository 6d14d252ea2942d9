"""A module or a test that fails, from its traceback: the error, the line of ours, and whose matter it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncbot.impact.model import Location
from syncbot.impact.runs import Ran, RunFailure
from syncbot.running.model import Ending
from syncbot.running.project_copy import Project
from syncbot.triage.error_lines import ErrorLines
from syncbot.triage.folded_failures import causes, folded
from syncbot.triage.model import Failure, Frame, Raised
from syncbot.triage.process_streams import parsed

_LONGEST = 300
# Where upstream is installed: on each machine elsewhere.
_INSTALLED = re.compile(r"/\S*/(?:site-packages|running/overlays/[^/\s]+)/")
# What a test says of a result; what it does itself raises another error.
_VERDICTS_OF_TESTS = ("AssertionError", "Failed", "ExceptionGroup")


@dataclass(frozen=True, slots=True)
class Lost:
    """A module or test that works beside another upstream, how it ends here, and the functions of upstream
    that were changed and that it executes there."""

    what: Ran
    name: str
    file: str
    ending: Ending
    executes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """The facts of a traceback: the failure in short (``run``) and as triage reads it, None for a text that
    is no traceback; our lines in it, outermost first. It is ``by_itself`` where a test fails without a
    line of our sources, ``judged`` where such a test finds a result to be wrong."""

    run: RunFailure
    failure: Failure | None
    own: tuple[Location, ...]
    by_itself: bool = False
    judged: bool = False

    @property
    def tests_only(self) -> bool:
        """Whether it is about what a test itself does."""
        return self.by_itself and not self.judged


def told(lost: Lost, project: Project) -> Told:
    """Return the facts of the traceback of something lost."""
    failure = failure_in(lost.name, lost.ending.text)
    own = own_lines(failure, project)
    deepest = _own_places(failure.error.frames, project) if failure is not None else []
    place = next(reversed(deepest or own), None) or _beginning(lost, project)
    run = RunFailure(lost.what, lost.name, last_line(lost.ending.text), place, lost.executes)
    by_itself = failure is not None and lost.what is Ran.TEST and not _in_sources(own, project)
    judged = by_itself and failure is not None and failure.error.name in _VERDICTS_OF_TESTS
    return Told(run, failure, tuple(own), by_itself, judged)


def failure_in(name: str, text: str) -> Failure | None:
    """Return the first cause that a traceback names; None where it names none."""
    events = parsed(name, [text.encode("utf-8", "replace")], ErrorLines())
    return next(iter(causes(folded(events))), None)


def own_lines(failure: Failure | None, project: Project) -> list[Location]:
    """The lines of ours that an error and what led to it came through, outermost first."""
    return _own_places((frame for raised in _chain(failure) for frame in raised.frames), project)


def last_line(text: str) -> str:
    """The line of a traceback that says what was raised: what comes after the last frame."""
    lines = [line for line in text.splitlines() if line.strip()]
    pairs = zip(["", *lines], lines, strict=False)
    raised = [line for before, line in pairs if before.startswith(" ") and line[:1].strip()]
    # pytest marks the lines of an error while it loads a conftest.
    found = _INSTALLED.sub("", (raised or lines or ["no message"])[-1]).removeprefix("E   ")
    return found if len(found) <= _LONGEST else f"{found[:_LONGEST]}…"


def _in_sources(own: Sequence[Location], project: Project) -> bool:
    """Whether a line of our sources is among some lines of ours."""
    tests = {file.path for file in project.backend.files if file.is_test}
    return any(not _is_test(at.file, tests) for at in own)


def _is_test(path: str, tests: set[str]) -> bool:
    name = path.rpartition("/")[2]
    return path in tests or name.startswith(("test_", "conftest.")) or name.endswith("_test.py")


def _beginning(lost: Lost, project: Project) -> Location | None:
    """The first line of what failed without a line of ours in the traceback."""
    inside = project.ours(lost.file)
    return Location(inside, 1) if inside is not None else None


def _own_places(frames: Iterable[Frame], project: Project) -> list[Location]:
    """The frames that are ours, outermost first."""
    paths = ((project.ours(frame.path), frame.line) for frame in frames)
    return [Location(path, line) for path, line in paths if path is not None]


def _chain(failure: Failure | None) -> tuple[Raised, ...]:
    return (*failure.chain, failure.error) if failure is not None else ()
