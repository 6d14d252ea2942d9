"""Results of runs on both ends of a range: modules and tests that work on the older, fail on the newer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from syncbot.contracts.model import Location


class Evidenced(StrEnum):
    """How a finding is known: by reading, by running, or by both."""

    READ = "read"
    RAN = "ran"
    BOTH = "both"


class Ran(StrEnum):
    """The part of the backend that is run."""

    MODULE = "module"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class RunFailure:
    """A module or a test (``what``, ``name``) that works on the older end and fails on the newer: the last
    line of the traceback, the innermost line of ours in it, and the names of what upstream changed that the
    test executes, as far as that was looked at."""

    what: Ran
    name: str
    error: str
    place: Location | None = None
    executes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A summary of the runs. ``old`` and ``new`` name the installations for the ends. ``modules`` import on
    the older end, ``modules_lost`` of them not on the newer; ``tests`` pass on the older one within the
    budget, ``compared`` of them were run on the newer, ``tests_lost`` fail there each time. ``flaky`` fail at
    one run and not at the next, ``hanging`` reach their limit; neither is a break. ``gone`` tests are missing
    on the newer end. ``files_left`` test files were not begun, for want of budget. ``notes`` are other facts
    to know."""

    old: str
    new: str
    modules: int = 0
    modules_lost: int = 0
    tests: int = 0
    compared: int = 0
    tests_lost: int = 0
    flaky: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    gone: int = 0
    files: int = 0
    files_left: int = 0
    notes: tuple[str, ...] = ()
