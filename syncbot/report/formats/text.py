"""The report for a terminal: what breaks first, each with its line and reason; the rest is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from syncbot.impact.model import Impact, Verdict
from syncbot.report.formats import renderer
from syncbot.report.model import Report, ReportCommit

_PLACES = 4
_HEADINGS = {
    Verdict.BREAKS: "breaks",
    Verdict.AT_RISK: "at risk: depends on what analysis cannot settle",
    Verdict.DRIFT: "drift: copied code whose original changed",
}


@renderer("text")
def as_text(report: Report, language: str) -> str:
    """The report as plain text of at most a few lines an impact."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    commits = {c.sha: c for c in report.commits}
    span = f"{report.old_name}..{report.new_name}"
    yield f"{report.upstream} {span}: {_count(len(report.commits), 'commit')}"
    own = [i for i in report.impacts if not i.tests_only]
    for verdict, heading in _HEADINGS.items():
        chosen = [i for i in own if i.verdict is verdict]
        if chosen:
            yield ""
            yield f"{heading} ({len(chosen)})"
            yield from _by_commit(chosen, commits)
    tests = [i for i in report.impacts if i.tests_only]
    if tests:
        yield ""
        yield f"in the backend's tests ({len(tests)})"
        yield from _by_commit(tests, commits)
    if report.unanalysed:
        yield ""
        yield f"not analysed ({len(report.unanalysed)})"
        for file, reason in report.unanalysed[:_PLACES]:
            yield f"  {file}: {reason}"
    yield ""
    yield _total(report, own)


def _by_commit(impacts: Sequence[Impact], commits: dict[str, ReportCommit]) -> Iterator[str]:
    ordered = sorted(impacts, key=lambda i: (_position(i, commits), i.locations, i.id))
    for sha, members in groupby(ordered, key=lambda i: i.commit):
        commit = commits.get(sha)
        yield f"  {sha[:10]} {commit.subject if commit is not None else ''}".rstrip()
        for impact in members:
            place = impact.locations[0]
            yield f"    {place.file}:{place.line}: {impact.message}"
            more = impact.locations[1:]
            if more:
                shown = ", ".join(f"{p.file}:{p.line}" for p in more[:_PLACES])
                rest = f" and {len(more) - _PLACES} more" if len(more) > _PLACES else ""
                yield f"      also {shown}{rest}"
            if impact.verdict is Verdict.BREAKS:
                mend = f"rewrite {impact.fix.rule}" if impact.fix is not None else "needs an author"
                yield f"      mend: {mend}"


def _position(impact: Impact, commits: dict[str, ReportCommit]) -> int:
    for index, sha in enumerate(commits):
        if sha == impact.commit:
            return index
    return len(commits)


def _total(report: Report, own: Sequence[Impact]) -> str:
    if not own:
        return "nothing of this touches the backend"
    counts = {v: sum(i.verdict is v for i in own) for v in _HEADINGS}
    guilty = len({i.commit for i in own if i.verdict is Verdict.BREAKS})
    parts = [f"{n} {v.value}" for v, n in counts.items() if n]
    return f"{', '.join(parts)}; {_count(guilty, 'commit')} of {len(report.commits)} break the backend"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
