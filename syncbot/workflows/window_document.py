"""A window of releases as a document for programs; its JSON Schema is docs/schemas/window.json."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.impact.runs import Evidenced
from syncbot.project_metadata.conflicting_requirements import Conflict
from syncbot.verify.violations import Violation
from syncbot.workflows.window import JudgedRelease, Window
from syncbot.workflows.window_run import ReleaseRun, WindowRun


@dataclass(frozen=True, slots=True)
class ReleaseDocument:
    """A release: whether the project declares it and ``runs`` on it, and what shows that it does not
    (``shown_by``); what breaks, what may, which requirements do not meet, and what running showed (``ran``,
    null without --run)."""

    version: str
    declared: bool
    runs: bool
    shown_by: Evidenced | None
    breaks: tuple[Violation, ...]
    at_risk: tuple[Violation, ...]
    conflicts: tuple[Conflict, ...]
    ran: ReleaseRun | None


@dataclass(frozen=True, slots=True)
class WindowDocument:
    """The releases of an upstream, oldest first, that a project was judged on; which it runs on in words, and
    the requirement that says so, null for none; what running showed of all (``run``, null without --run). A
    new field does not change ``schema``, a removed one does."""

    schema: int
    project: str
    upstream: str
    declared: str
    left_out: int
    runs_on: str
    requirement: str | None
    releases: tuple[ReleaseDocument, ...]
    run: WindowRun | None


def document(found: Window) -> WindowDocument:
    """Return the document of a window."""
    return WindowDocument(
        schema=1,
        project=found.project,
        upstream=found.upstream,
        declared=found.declared,
        left_out=found.left_out,
        runs_on=found.words,
        requirement=found.requirement,
        releases=tuple(map(_release, found.releases)),
        run=found.run,
    )


def _release(judged: JudgedRelease) -> ReleaseDocument:
    return ReleaseDocument(
        version=str(judged.version),
        declared=judged.declared,
        runs=judged.runs,
        shown_by=judged.shown_by,
        breaks=judged.breaks,
        at_risk=judged.at_risk,
        conflicts=judged.conflicts,
        ran=judged.ran,
    )
