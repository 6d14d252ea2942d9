"""Findings of all engines put together: one list of impacts for a range of commits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from syncbot.api.local_classes import readable
from syncbot.contracts.coverage import Coverage
from syncbot.contracts.misfit import Misfit
from syncbot.contracts.model import Finding
from syncbot.impact.attribution import Attributed
from syncbot.impact.caching.analysis_cache import AnalysisCache, CachedAnalysis
from syncbot.impact.contract_findings import attributed_findings, findings
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.impact.trees import Trees
from syncbot.impact.upstream_hunk import upstream_hunk
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Meter, no_meter

_ORDER = {Verdict.BREAKS: 0, Verdict.AT_RISK: 1, Verdict.DRIFT: 2, Verdict.NONE: 3}


@dataclass(frozen=True, slots=True)
class Analysis:
    """The effects of a span on a backend; ``unanalysed`` are files not understood, with the reasons;
    ``coverage`` is None where nothing was to be judged, ``misfit`` where no version fits the backend better
    than the older end."""

    span: Span
    impacts: tuple[Impact, ...]
    unanalysed: tuple[tuple[str, str], ...]
    coverage: Coverage | None = None
    misfit: Misfit | None = None


def analyse(trees: Trees, span: Span, analyses: AnalysisCache, meter: Meter = no_meter) -> Analysis:
    """All impacts of a span of commits on the backend, by the contract engine."""
    known = analyses.get(trees, span)
    if known is None:
        commits = span.commits[::-1]
        results = attributed_findings(trees, span.old, span.new, commits, meter) if commits else []
        trees.accelerator.end_range()
        found = tuple(_with_hunks(trees, span, impacts(results, _tests(trees))))
        unparsed = tuple(_unparsed(trees, span.old, span.new))
        judged = (trees.coverage, trees.misfit) if span.commits else (None, None)
        known = CachedAnalysis(found, unparsed, *judged)
        analyses.put(trees, span, known)
    return Analysis(span, known.impacts, known.unanalysed, known.coverage, known.misfit)


def _with_hunks(trees: Trees, span: Span, found: Iterable[Impact]) -> Iterable[Impact]:
    commits = {commit.sha: commit for commit in span.commits}
    for impact in found:
        commit = commits.get(impact.commit)
        hunk = upstream_hunk(trees, impact, commit) if commit is not None else ""
        yield replace(impact, upstream_hunk=hunk)


def compared(trees: Trees, old: str, new: str, files: Set[str] | None = None) -> list[Impact]:
    """The impacts of going from one commit to another, either way, on all files or some; nobody is guilty."""
    return impacts((Attributed(f, None) for f in findings(trees, old, new, files)), _tests(trees))


def _tests(trees: Trees) -> set[str]:
    return {f.path for f in trees.backend.files if f.is_test}


def impacts(results: Iterable[Attributed], tests: set[str]) -> list[Impact]:
    """One impact for each commit, kind, symbol and meaning, tests and verdicts apart; breaking ones first."""
    groups: dict[tuple[str, str, str, str, bool], dict[Verdict, list[Attributed]]] = {}
    for result in results:
        finding = result.finding
        in_tests = finding.contract.place.location.file in tests
        sha = result.commit.sha if result.commit is not None else ""
        key = (sha, finding.kind, finding.symbol, finding.meaning, in_tests)
        groups.setdefault(key, {}).setdefault(finding.verdict, []).append(result)
    certain = {
        (key[0], key[2], *_line(member))
        for key, parts in groups.items()
        for member in parts.get(Verdict.BREAKS, ())
    }
    found = [
        _impact(left, key[4], "" if verdict is min(parts, key=_ORDER.__getitem__) else verdict)
        for key, parts in groups.items()
        for verdict, members in parts.items()
        if (left := _without_echoes(members, key, certain))
    ]
    return sorted(found, key=rank)


def _without_echoes(
    members: Sequence[Attributed],
    key: tuple[str, str, str, str, bool],
    certain: Set[tuple[str, str, str, int]],
) -> list[Attributed]:
    """The findings without doubts about what the same commit breaks for certain on the same line."""
    return [
        member
        for member in members
        if member.finding.verdict is not Verdict.AT_RISK or (key[0], key[2], *_line(member)) not in certain
    ]


def _line(member: Attributed) -> tuple[str, int]:
    place = member.finding.contract.place.location
    return place.file, place.line


def _impact(members: Sequence[Attributed], in_tests: bool, apart: str) -> Impact:
    """The impact of some findings of one verdict; ``apart`` is that verdict where others weigh more."""
    best = min(members, key=lambda m: (_ORDER[m.finding.verdict], m.finding.contract.place.location))
    finding, commit = best.finding, best.commit
    places = {m.finding.contract.place.location for m in members}
    return Impact(
        id=impact_id(
            commit.sha if commit else "", finding.kind, finding.symbol, finding.meaning + apart, in_tests
        ),
        commit=commit.sha if commit else "",
        pr=commit.pr if commit else None,
        symbol=finding.symbol,
        kind=finding.kind,
        verdict=finding.verdict,
        locations=tuple(sorted(places)),
        message=readable(finding.reason),
        confidence=finding.ground.share,
        tests_only=in_tests,
        details=finding.details,
        contract=finding.contract.kind,
        classes=_receivers(m.finding for m in members),
        ground=finding.ground,
        checks=tuple(sorted({m.finding.contract.check for m in members})),
    )


def impact_id(commit: str, kind: str, symbol: str, subject: str, in_tests: bool) -> str:
    """A short name that stays the same as long as the upstream change and its meaning do."""
    text = "\0".join((commit, kind, symbol, subject, str(in_tests)))
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _receivers(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The classes of the backend whose overrides findings are about: those that define the method."""
    overrides = (f.contract for f in findings if f.contract.kind == "override")
    names = {getattr(c, "mixin", "") or getattr(c, "receiver", "") for c in overrides}
    return tuple(sorted(n for n in names if n))


def rank(impact: Impact) -> tuple[bool, int, tuple[Location, ...], str]:
    """By what impacts are sorted: those on sources before those on tests alone, worst first."""
    return (impact.tests_only, _ORDER[impact.verdict], impact.locations, impact.id)


def _unparsed(trees: Trees, old: str, new: str) -> Iterable[tuple[str, str]]:
    yield from trees.unanalysed()
    before = trees.tree(old).modules
    after = trees.tree(new)
    for module, (path, blob) in sorted(after.modules.items()):
        if before.get(module, ("", ""))[1] != blob:
            table = after.table(module)
            if table is not None and table.problem is not None:
                yield path, table.problem
