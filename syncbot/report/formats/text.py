"""The report for a terminal: what breaks first, each with its line and reason; the rest is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from syncbot.impact.model import Impact, Verdict
from syncbot.report import view
from syncbot.report.catalogue import Words
from syncbot.report.formats import Reports, renderer
from syncbot.report.model import Report, ReportCommit
from syncbot.report.untrusted_text import one_line, printable

_PLACES = 3
_SHORT = 10
_STYLES = {Verdict.BREAKS: "bold red", Verdict.AT_RISK: "yellow", Verdict.DRIFT: "cyan"}


@renderer("text")
def as_text(reports: Reports, words: Words) -> Text:
    """The report as lines of text: every break of the backend's sources, a few lines of all else."""
    return Text("\n").join(_one(report, words) for report in reports)


def _one(report: Report, words: Words) -> Text:
    lines = [*_head(report, words), *_breaks(report, words)]
    for verdict in (Verdict.AT_RISK, Verdict.DRIFT):
        heading = f"{words(verdict)}: {words(f'{verdict}_means')}"
        lines += _short(report, view.own(report, verdict), heading, _STYLES[verdict], words)
    lines += _short(report, view.in_tests(report), words("in_tests"), "yellow", words)
    lines += _high(report, words)
    lines += _unanalysed(report, words)
    if report.commits or report.impacts:
        lines += ["", _totals(report, words)]
    lines += map(one_line, view.accepted(report, words))
    if (unjudged := view.unjudged(report, words)) is not None:
        lines.append(unjudged)
    if (last := view.last_word(report, words)) is not None:
        lines += ["", Text(one_line(last), "bold")]
    if report.diff:
        lines += ["", *map(printable, report.diff.removesuffix("\n").split("\n"))]
    return Text("\n").join(line if isinstance(line, Text) else Text(line) for line in lines).append("\n")


def _head(report: Report, words: Words) -> Iterator[Text]:
    ends = view.end(report.old_name, report.old), view.end(report.new_name, report.new)
    breaks = bool(view.own(report, Verdict.BREAKS))
    thin = view.thinness(report, words) is not None
    yield Text.assemble(
        (one_line(f"{report.upstream} {ends[0]}..{ends[1]}"), "bold"),
        ": ",
        (view.headline(report, words), _STYLES[Verdict.BREAKS] if breaks or thin else "green"),
    )


def _breaks(report: Report, words: Words) -> Iterator[Text | str]:
    for culprit in view.culprits(report, view.own(report, Verdict.BREAKS)):
        yield ""
        yield _commit(culprit.sha, culprit.commit, words)
        for impact in culprit.impacts:
            place, *others = impact.locations
            yield Text.assemble(
                "  ",
                (one_line(f"{place.file}:{place.line}"), "bold cyan"),
                f": {one_line(view.happens(impact, words))}",
            )
            if others:
                shown = [one_line(f"{p.file}:{p.line}") for p in others[:_PLACES]]
                rest = len(others) - len(shown)
                yield f"    + {', '.join(shown)}{' ' + words.count('more', rest) if rest else ''}"
            if testimony := view.testimony(impact, words):
                yield f"    {one_line(testimony)}"
            style = "green" if impact.fix is not None else "magenta"
            yield Text.assemble(f"    {words('fix').lower()}: ", (one_line(view.mend(impact, words)), style))


def _short(
    report: Report, impacts: Sequence[Impact], heading: str, style: str, words: Words
) -> Iterator[Text | str]:
    if not impacts:
        return
    yield ""
    yield Text(f"{heading} ({len(impacts)})", style)
    # One more than the limit is shown, not counted.
    rest = len(impacts) - _SHORT if len(impacts) > _SHORT + 1 else 0
    for impact in impacts[: len(impacts) - rest]:
        place, *others = impact.locations
        more = f" (+{len(others)})" if others else ""
        pr = f" #{impact.pr}" if impact.pr is not None else ""
        guilty = f"  [{impact.commit[:10]}{pr}]" if impact.commit in report.by_sha else ""
        what = one_line(f"{place.file}:{place.line}{more}: {view.happens(impact, words)}")
        yield f"  {what}{guilty}"
    if rest:
        yield f"  {words.count('more', rest)}"


def _high(report: Report, words: Words) -> Iterator[Text | str]:
    named = {i.commit for i in view.own(report, Verdict.BREAKS)}
    commits = [c for c in view.of_level(report, "high") if c.sha not in named]
    # In a long range they are too many to be read; the totals count them.
    if not commits or len(commits) > _SHORT:
        return
    yield ""
    yield Text(f"{words('also_upstream')} ({len(commits)})", "bold")
    for commit in commits:
        yield Text("  ") + _commit(commit.sha, commit, words)


def _commit(sha: str, commit: ReportCommit | None, words: Words) -> Text:
    if commit is None:
        return Text(sha[:10] or words("unknown_commit"), "bold")
    pr = f" #{commit.pr}" if commit.pr is not None else ""
    subject = one_line(commit.subject).removesuffix(f"(#{commit.pr})").rstrip()
    return Text.assemble((f"{sha[:10]}{pr} ", "yellow"), (subject, "bold"))


def _unanalysed(report: Report, words: Words) -> Iterator[Text | str]:
    if not report.unanalysed:
        return
    yield ""
    yield Text(f"{words('unanalysed')} ({len(report.unanalysed)})", "yellow")
    for file, reason in view.unread(report, words)[:_PLACES]:
        yield f"  {one_line(file)}: {one_line(reason)}"
    if len(report.unanalysed) > _PLACES:
        yield f"  {words.count('more', len(report.unanalysed) - _PLACES)}"


def _totals(report: Report, words: Words) -> str:
    counts = {verdict: len(view.own(report, verdict)) for verdict in view.SHOWN}
    impacts = words("list_and").join(f"{n} {words(verdict)}" for verdict, n in counts.items() if n)
    commits = words.count("commits", len(report.commits))
    importance = words("importance_counts", **view.levels(report))
    return f"{commits}: {importance}" + (f"; {impacts}" if impacts else "")
