"""The data of a report: a range of commits, each with its importance, and their effects on the backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Literal

from syncbot.accepting.acceptance import Acceptance
from syncbot.contracts.coverage import Coverage
from syncbot.contracts.misfit import Misfit
from syncbot.impact.facts.model import Facts
from syncbot.impact.model import Ended, EngineState, Impact, Verdict, by_commit
from syncbot.impact.runs import RunSummary
from syncbot.report.advice import Advice, Mention
from syncbot.report.covered import Covered
from syncbot.report.evidence import Evidence
from syncbot.report.prose.model import Wording
from syncbot.upgrade.model import Upgrade

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class ReportCommit:
    """One upstream commit; ``level`` is ``high``, ``medium`` or ``low``. ``files`` are the paths it changes,
    new and old; ``kinds`` counts them; ``added`` and ``removed`` are lines of code, ``lines`` both by kind of
    file, None if not counted. ``facts`` are None where nobody looked; ``wording`` is a language model's.
    ``release`` is the version of what stands for a release, else empty."""

    sha: str
    pr: int | None
    date: datetime
    author: str
    subject: str
    level: str
    types: tuple[str, ...]
    files: tuple[str, ...]
    body: str = ""
    kinds: Mapping[str, int] = field(default_factory=dict)
    added: int | None = None
    removed: int | None = None
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    facts: Facts | None = None
    mentions: tuple[Mention, ...] = ()
    advice: tuple[Advice, ...] = ()
    wording: Wording | None = None
    release: str = ""


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines for a shell that go on from a report: ``whole`` shows all that it cuts, ``unjudged`` lists what
    could not be judged, ``mending`` writes what can be rewritten. Empty where nobody knows them."""

    whole: str = ""
    unjudged: str = ""
    mending: str = ""


@dataclass(frozen=True)
class Report:
    """The commits ``old..new`` of one upstream, newest first, and their impacts, worst first. ``unanalysed``
    files have reasons; ``coverage`` is None where nobody counted; ``misfit`` is what the older end lacks;
    ``old_name`` and ``new_name`` are for the reader; ``web`` is upstream's page, ``folder`` the backend's in
    its repository (empty, or with a slash); ``diff`` has the edits, if asked for; ``kinds_page`` explains
    kinds. ``acceptance`` is what was taken out of the impacts; ``covered`` is for the next report;
    ``evidence`` is of what is told, by the ids of impacts; ``newest_release`` (its tag, moment, and the
    repository) is set where releases are followed and a period has none. ``kind`` is what is followed;
    ``dated`` whether a period was asked for and not two ends; ``is_named`` whether whoever asked named
    this upstream; ``is_backend`` whether the sources are a plugin of it, or have lanes; ``taken`` says
    why it is reported on where nobody named it, empty else. ``engines`` are those that were asked, and
    how their work ended; ``run`` is what was run, None where nothing was; ``upgrade`` what else an
    upgrade brings, None where nobody asked."""

    schema: int
    upstream: str
    old: str
    new: str
    commits: tuple[ReportCommit, ...]
    impacts: tuple[Impact, ...]
    engines: tuple[EngineState, ...] = ()
    unanalysed: tuple[tuple[str, str], ...] = ()
    coverage: Coverage | None = None
    misfit: Misfit | None = None
    old_name: str = ""
    new_name: str = ""
    web: str | None = None
    folder: str = ""
    diff: str = ""
    commands: Commands = Commands()
    kinds_page: str = ""
    acceptance: Acceptance | None = None
    covered: Covered | None = None
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    newest_release: tuple[str, datetime, str] | None = None
    kind: Literal["git", "release"] = "git"
    dated: bool = True
    is_named: bool = False
    is_backend: bool = True
    taken: str = ""
    run: RunSummary | None = None
    upgrade: Upgrade | None = None

    @property
    def of_releases(self) -> bool:
        """Whether what is told are releases, and not commits."""
        return all(c.release for c in self.commits) if self.commits else self.kind == "release"

    @property
    def says_nothing(self) -> bool:
        """Whether so little of the backend relies on this upstream that something else was read: an upstream
        that was named may be used in few places, but in some."""
        covered = self.coverage
        return covered is not None and covered.is_thin and not (self.is_named and covered.relying)

    @property
    def unfinished(self) -> tuple[EngineState, ...]:
        """The engines whose findings are lacking."""
        return tuple(engine for engine in self.engines if engine.state is not Ended.FINISHED)

    @cached_property
    def by_sha(self) -> Mapping[str, ReportCommit]:
        """The commits by their shas."""
        return {commit.sha: commit for commit in self.commits}

    @cached_property
    def by_commit(self) -> Mapping[str, Sequence[Impact]]:
        """The impacts by the sha of their commit, harmless ones left out."""
        return by_commit(impact for impact in self.impacts if impact.verdict is not Verdict.NONE)
