"""The report for a terminal: what breaks first, each with its line and reason; the rest is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from syncbot.impact.model import Impact, Verdict
from syncbot.report import evidence, names, runs, view
from syncbot.report.catalogue import Words
from syncbot.report.formats import Reports, renderer
from syncbot.report.model import Report, ReportCommit
from syncbot.report.our_lines import OurLine, by_line
from syncbot.report.untrusted_text import one_line, printable

_PLACES = 12
_SHORT = 10
# Of what may happen to one line, so much is shown.
_OF_LINE = 3
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
    lines += _short(report, view.in_tests(report), view.tests_heading(report, words), "yellow", words)
    lines += _high(report, words)
    lines += _unanalysed(report, words)
    if report.commits or report.impacts:
        lines += ["", _totals(report, words)]
    lines += map(one_line, runs.run_sentences(report, words))
    lines += map(one_line, view.accepted(report, words))
    if (unjudged := view.unjudged(report, words)) is not None:
        lines.append(unjudged)
    if (last := view.last_word(report, words)) is not None:
        lines += ["", Text(one_line(" ".join(filter(None, last))), "bold")]
    if report.diff:
        lines += ["", *map(printable, report.diff.removesuffix("\n").split("\n"))]
    return Text("\n").join(line if isinstance(line, Text) else Text(line) for line in lines).append("\n")


def _head(report: Report, words: Words) -> Iterator[Text]:
    breaks = bool(view.own(report, Verdict.BREAKS))
    yield Text.assemble(
        (one_line(f"{report.upstream} {names.span(report, words)}"), "bold"),
        ": ",
        (
            view.headline(report, words),
            _STYLES[Verdict.BREAKS] if breaks or report.says_nothing or report.unfinished else "green",
        ),
    )


def _breaks(report: Report, words: Words) -> Iterator[Text | str]:
    """Yield the breaks by commit; of releases, each has a block, even one that breaks nothing."""
    culprits = {culprit.sha: culprit for culprit in view.culprits(report, view.own(report, Verdict.BREAKS))}
    told = {commit.sha: commit for commit in report.commits} if report.of_releases else {}
    for sha in {**told, **culprits}:
        yield ""
        commit = report.by_sha.get(sha)
        heading = _commit(report, sha, commit, words)
        if commit is not None and commit.release:
            heading.append(f": {view.meant(report, commit, words) or words('breaks_nothing')}")
        yield heading
        for line in culprits[sha].lines if sha in culprits else ():
            yield from _line_of_ours(report, line, words)


def _line_of_ours(report: Report, line: OurLine, words: Words) -> Iterator[Text | str]:
    """A line of ours and what happens to it; what one mend is for is told before it."""
    place = Text.assemble("  ", (one_line(f"{line.place.file}:{line.place.line}"), "bold cyan"))
    alone = len(line.impacts) == 1
    if not alone:
        source = evidence.source_line(line, report.evidence)
        yield place + Text(f": {one_line(source)}" if source else "")
    mends = [view.mend(impact, words) for impact in line.impacts]
    for at, impact in enumerate(line.impacts):
        what = one_line(view.happens(impact, words))
        yield place + Text(f": {what}") if alone else f"    - {what}"
        indent = "    " if alone else "      "
        if others := impact.locations[1:]:
            left = len(others) - _PLACES
            more = f" {view.rest(report, left, words)}" if left > 0 else ""
            yield f"{indent}+ {', '.join(view.by_file(others[:_PLACES]))}{more}"
        if testimony := view.testimony(impact, words):
            yield f"{indent}{one_line(testimony)}"
        if ran := runs.ran(impact, words):
            yield f"{indent}{one_line(ran)}"
        if mends[at] != (mends[at + 1] if at + 1 < len(mends) else None):
            style = "green" if impact.fix is not None else "magenta"
            yield Text.assemble(f"{indent}{words('fix').lower()}: ", (one_line(mends[at]), style))


def _short(
    report: Report, impacts: Sequence[Impact], heading: str, style: str, words: Words
) -> Iterator[Text | str]:
    if not impacts:
        return
    yield ""
    yield Text(f"{heading} ({len(impacts)})", style)
    lines = by_line(impacts)
    # One more than the limit is shown, not counted.
    rest = len(lines) - _SHORT if len(lines) > _SHORT + 1 else 0
    for line in lines[: len(lines) - rest]:
        place = one_line(f"{line.place.file}:{line.place.line}")
        told = [_shortly(report, impact, words) for impact in line.impacts]
        if len(told) == 1:
            more = _further(line.impacts[0])
            yield f"  {place}{more}: {told[0]}"
        else:
            left = len(told) - _OF_LINE if len(told) > _OF_LINE + 1 else 0
            shown = zip(line.impacts, told[: len(told) - left], strict=False)
            yield f"  {place}"
            yield from (f"    - {each}{_further(impact)}" for impact, each in shown)
            if left:
                yield f"    - {words.count('more', left)}"
    if rest:
        left = sum(len(line.impacts) for line in lines[len(lines) - rest :])
        yield f"  {view.rest(report, left, words)}"


def _shortly(report: Report, impact: Impact, words: Words) -> str:
    commit = report.by_sha.get(impact.commit) if not _is_one_release(report) else None
    guilty = f"  [{one_line(names.short_name(commit))}]" if commit is not None else ""
    return f"{one_line(view.happens(impact, words))}{guilty}"


def _further(impact: Impact) -> str:
    others = len(impact.locations) - 1
    return f" (+{others})" if others else ""


def _is_one_release(report: Report) -> bool:
    return report.of_releases and len(report.commits) == 1


def _high(report: Report, words: Words) -> Iterator[Text | str]:
    named = {i.commit for i in view.own(report, Verdict.BREAKS)}
    commits = [c for c in view.of_level(report, "high") if c.sha not in named]
    # In a long range they are too many to be read; the totals count them.
    if not commits or len(commits) > _SHORT or report.of_releases:
        return
    yield ""
    yield Text(f"{words('also_upstream')} ({len(commits)})", "bold")
    for commit in commits:
        yield Text("  ") + _commit(report, commit.sha, commit, words)


def _commit(report: Report, sha: str, commit: ReportCommit | None, words: Words) -> Text:
    if commit is None:
        return Text(sha[:10] or names.term(report, "unknown_commit", words), "bold")
    if commit.release:
        return Text(names.named(commit), "bold")
    found, _, subject = names.named(commit).partition(" ")
    number, _, after = subject.partition(" ") if commit.pr is not None else ("", "", subject)
    return Text.assemble((f"{found} {number} ".replace("  ", " "), "yellow"), (after, "bold"))


def _unanalysed(report: Report, words: Words) -> Iterator[Text | str]:
    if not report.unanalysed:
        return
    yield ""
    yield Text(f"{words('unanalysed')} ({len(report.unanalysed)})", "yellow")
    for file, reason in view.unread(report, words)[:_PLACES]:
        yield f"  {one_line(file)}: {one_line(reason)}"
    if len(report.unanalysed) > _PLACES:
        yield f"  {view.rest(report, len(report.unanalysed) - _PLACES, words)}"


def _totals(report: Report, words: Words) -> str:
    impacts = view.counted((i.verdict for i in report.impacts if not i.tests_only), words)
    if report.of_releases:
        return f"{names.counted(report, words)}: {impacts or words('breaks_nothing')}"
    importance = words("importance_counts", **view.levels(report))
    return f"{names.counted(report, words)}: {importance}" + (f"; {impacts}" if impacts else "")
