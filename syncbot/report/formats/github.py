"""The report as annotations of GitHub Actions at our lines; GitHub shows ten of each level."""

from __future__ import annotations

from syncbot.impact.model import Impact, Verdict
from syncbot.report import names, view
from syncbot.report.catalogue import Words
from syncbot.report.formats import Reports, renderer
from syncbot.report.model import Report
from syncbot.report.runs import run_sentences
from syncbot.report.untrusted_text import one_line

_COMMANDS = {Verdict.BREAKS: "error", Verdict.AT_RISK: "warning", Verdict.DRIFT: "notice"}


@renderer("github")
def as_annotations(reports: Reports, words: Words) -> str:
    """One line for each impact at its first place; of an upstream without any, one notice that says so."""
    return "".join(f"{line}\n" for report in reports for line in _lines(report, words))


def _lines(report: Report, words: Words) -> list[str]:
    lines = [_command(report, i, words) for i in report.impacts if i.verdict in _COMMANDS]
    lines = lines or [f"::notice::{_data(view.headline(report, words))}"]
    lines[:0] = [f"::error::{_data(lacking)}" for lacking in view.unfinished(report, words)]
    if (thin := view.thinness(report, words)) is not None:
        lines.insert(0, f"::{'error' if report.says_nothing else 'notice'}::{_data(thin)}")
    told = [*run_sentences(report, words), *view.accepted(report, words)]
    lines += [f"::notice::{_data(each)}" for each in told]
    if (unfit := view.misfit(report, words)) is not None and len(lines) > 1:
        lines.insert(0, f"::warning::{_data(unfit)}")
    unjudged = view.unjudged(report, words)
    return lines if unjudged is None else [*lines, f"::notice::{_data(unjudged)}"]


def _command(report: Report, impact: Impact, words: Words) -> str:
    commit = report.by_sha.get(impact.commit)
    upstream = f" — {names.named(commit)}" if commit is not None else ""
    fix = f" — {words('fix')}: {view.mend(impact, words)}" if impact.verdict is Verdict.BREAKS else ""
    others = len(impact.locations) - 1
    more = f" ({words.count('more', others)})" if others else ""
    place = impact.locations[0]
    title = f"{report.upstream}: {words(impact.verdict)} ({impact.kind})"
    properties = {
        "file": f"{report.folder}{place.file}",
        "line": place.line,
        "col": place.column,
        "title": title,
    }
    given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return (
        f"::{_COMMANDS[impact.verdict]} {given}::{_data(view.happens(impact, words) + more + upstream + fix)}"
    )


def _data(text: str) -> str:
    return one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
