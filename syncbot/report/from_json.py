"""Reports read back from the JSON that ``syncbot check --format json`` wrote: docs/json.md."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, tzinfo
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from syncbot.contracts.changes import NOTHING_MORE, AnyDetails, ChangeKind
from syncbot.contracts.coverage import Coverage
from syncbot.contracts.grounds import Ground
from syncbot.contracts.misfit import Misfit
from syncbot.errors import ConfigurationError
from syncbot.impact.changed_files import kind_of
from syncbot.impact.commit_messages import TYPES
from syncbot.impact.facts.model import Change, Facts
from syncbot.impact.importance import Level
from syncbot.impact.model import EngineState, Fix, Impact, Location, Testimony, Verdict
from syncbot.impact.runs import Evidenced, RunFailure, RunSummary
from syncbot.report.advice import Advice, Mention
from syncbot.report.evidence import Evidence, Excerpt
from syncbot.report.model import SCHEMA, Report, ReportCommit
from syncbot.report.untrusted_text import web_address


class _Upstream(msgspec.Struct, frozen=True):
    name: str
    old: str = msgspec.field(name="from")
    new: str = msgspec.field(name="to")
    kind: Literal["git", "release"] = "git"
    from_name: str | None = None
    to_name: str | None = None
    web: str | None = None


class _Lines(msgspec.Struct, frozen=True):
    added: int
    removed: int


class _Part(msgspec.Struct, frozen=True):
    what: str
    name: str


class _Fact(msgspec.Struct, frozen=True):
    kind: str
    symbol: str
    file: str
    before: str | None = None
    after: str | None = None
    parts: tuple[_Part, ...] = ()
    users: tuple[str, ...] = ()
    kept: bool = False


class _Mention(msgspec.Struct, frozen=True):
    name: str
    file: str
    line: int
    column: int


class _Commit(msgspec.Struct, frozen=True):
    sha: str
    date: datetime
    author: str
    subject: str
    level: Level
    types: tuple[str, ...]
    files: tuple[str, ...]
    pr: int | None = None
    release: str | None = None
    summary: str = ""
    added: int | None = None
    removed: int | None = None
    lines: dict[str, _Lines] = msgspec.field(default_factory=dict)
    facts: tuple[_Fact, ...] | None = None
    mentions: tuple[_Mention, ...] = ()
    advice: tuple[Advice, ...] = ()


class _OurLines(msgspec.Struct, frozen=True):
    file: str
    line: int
    column: int
    text: str


class _Impact(msgspec.Struct, frozen=True):
    id: str
    commit: str
    symbol: str
    kind: ChangeKind
    verdict: Verdict
    locations: tuple[Location, ...]
    message: str
    pr: int | None = None
    fix: Fix | None = None
    no_fix: str = ""
    engines: tuple[str, ...] = ("contracts",)
    confidence: float = 1.0
    tests_only: bool = False
    upstream_hunk: str = ""
    details: dict[str, Any] = msgspec.field(default_factory=dict)
    contract: str = ""
    classes: tuple[str, ...] = ()
    ground: Ground | None = None
    testimony: Testimony | None = None
    evidence: Evidenced = Evidenced.READ
    runs: tuple[RunFailure, ...] = ()
    checks: tuple[str, ...] = ()
    our_lines: tuple[_OurLines, ...] = ()
    edit: str = ""


class _Unanalysed(msgspec.Struct, frozen=True):
    file: str
    reason: str


class _Report(msgspec.Struct, frozen=True):
    schema: Literal[1]
    upstream: _Upstream
    commits: tuple[_Commit, ...]
    impacts: tuple[_Impact, ...]
    engines: tuple[EngineState, ...] = ()
    unanalysed: tuple[_Unanalysed, ...] = ()
    is_backend: bool = True
    coverage: Coverage | None = None
    misfit: Misfit | None = None
    run: RunSummary | None = None


class _Several(msgspec.Struct, frozen=True):
    schema: Literal[1]
    reports: tuple[_Report, ...]


class _Either(msgspec.Struct, frozen=True):
    reports: msgspec.Raw = msgspec.Raw()


def parse(text: bytes, name: str, zone: tzinfo | None = None) -> tuple[Report, ...]:
    """The reports in a JSON text. A renamed file counts as two. Raises ConfigurationError, with ``name`` for
    the text, where it is no report."""
    try:
        if not bytes(msgspec.json.decode(text, type=_Either).reports):
            found: tuple[_Report, ...] = (msgspec.json.decode(text, type=_Report),)
        else:
            found = msgspec.json.decode(text, type=_Several).reports
        return tuple(_report(report, zone) for report in found)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ConfigurationError(
            f"{name} is no report of syncbot: {error}; write one with 'syncbot check --format json'"
        ) from error


def _report(read: _Report, zone: tzinfo | None) -> Report:
    upstream = read.upstream
    urlsplit(upstream.web or "")  # raises ValueError for what is no address
    return Report(
        schema=SCHEMA,
        upstream=upstream.name,
        old=upstream.old,
        new=upstream.new,
        commits=tuple(_commit(commit, zone) for commit in read.commits),
        impacts=tuple(_impact(impact) for impact in read.impacts),
        engines=read.engines,
        unanalysed=tuple((item.file, item.reason) for item in read.unanalysed),
        is_backend=read.is_backend,
        coverage=read.coverage,
        misfit=read.misfit,
        run=read.run,
        old_name=upstream.from_name or "",
        new_name=upstream.to_name or "",
        web=web_address(upstream.web),
        kind=upstream.kind,
        evidence={impact.id: _evidence(impact) for impact in read.impacts if impact.our_lines or impact.edit},
    )


def _evidence(read: _Impact) -> Evidence:
    ours = (Excerpt(Location(each.file, each.line, each.column), each.text) for each in read.our_lines)
    return Evidence(tuple(ours), read.edit)


def _commit(read: _Commit, zone: tzinfo | None) -> ReportCommit:
    facts = None if read.facts is None else Facts(tuple(_change(fact) for fact in read.facts))
    if not 1970 <= read.date.year < 9999:
        raise ValueError(f"{read.date} is no date of a commit")
    if unknown := {*read.types} - {*TYPES}:
        raise ValueError(f"{min(unknown)!r} is no type of a change")
    kinds = Counter(str(kind_of(path)) for path in read.files)
    return ReportCommit(
        **_fields_but(read, "date", "summary", "lines", "facts", "mentions", "release"),
        release=read.release or "",
        date=read.date.astimezone(zone),
        body=read.summary,
        kinds={kind: kinds[kind] for kind in sorted(kinds)},
        lines={kind: (lines.added, lines.removed) for kind, lines in read.lines.items()},
        facts=facts,
        mentions=tuple(Mention(m.name, Location(m.file, m.line, m.column)) for m in read.mentions),
    )


def _change(read: _Fact) -> Change:
    parts = tuple((part.what, part.name) for part in read.parts)
    return Change(**_fields_but(read, "parts"), parts=parts)


def _impact(read: _Impact) -> Impact:
    # Reports of old versions have text by name there, which nobody reads.
    known = "family" in read.details
    details = msgspec.convert(read.details, AnyDetails) if known else NOTHING_MORE
    return Impact(**_fields_but(read, "details", "our_lines", "edit"), details=details)


def _fields_but(read: msgspec.Struct, *others: str) -> dict[str, Any]:
    return {name: getattr(read, name) for name in read.__struct_fields__ if name not in others}
