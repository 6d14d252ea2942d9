"""The report as one HTML page that needs nothing else: no scripts, no fonts, no requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from urllib.parse import urlsplit

from syncbot.impact.importance import LEVELS
from syncbot.impact.model import Impact, Verdict
from syncbot.report import sections, view
from syncbot.report.catalogue import Words
from syncbot.report.formats import Reports, renderer
from syncbot.report.kind_links import kind_url
from syncbot.report.model import Report, ReportCommit
from syncbot.report.phrases import Line, Piece
from syncbot.report.untrusted_text import one_line

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --breaks: #c62828; --fine: #2e7d32; --quiet: #666; }
@media (prefers-color-scheme: dark) { :root { --breaks: #ff8a80; --fine: #81c784; --quiet: #aaa; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem; }
h1 { margin-bottom: 0; } .breaks { color: var(--breaks); } .fine { color: var(--fine); }
.headline { font-size: 1.25rem; font-weight: 600; } .quiet { color: var(--quiet); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .6rem; text-align: left; vertical-align: top; }
code { font: .875em ui-monospace, monospace; overflow-wrap: anywhere; } time { white-space: nowrap; }
summary { cursor: pointer; font-size: 1.15rem; font-weight: 600; margin: 1rem 0 .5rem; }
.commit { border-left: 3px solid var(--line); margin: .5rem 0; padding-left: .75rem; }
.commit > summary { font-size: 1rem; margin: .25rem 0; overflow-wrap: anywhere; }
h4 { margin: .75rem 0 0; } ul { margin: .25rem 0; padding-left: 1.25rem; }
""".strip()


@renderer("html")
def as_html(reports: Reports, words: Words) -> str:
    """The report as an HTML document, a section for each of several upstreams."""
    title = escape(view.title(reports, words))
    names = ", ".join(report.upstream for report in reports)
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(words.language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(names)}: {title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{title}</h1>\n{content(reports, words)}\n</main>\n</body>\n</html>\n"
    )


def content(reports: Reports, words: Words) -> str:
    """What the document has below its title, for a page of somebody else's: elements without a style."""
    return "\n".join(line for report in reports for line in _section(report, words, len(reports) > 1))


def _section(report: Report, words: Words, titled: bool) -> Iterator[str]:
    yield "<section>"
    if titled:
        yield f"<h2>{_text(report.upstream)}</h2>"
    yield from _body(report, words)
    yield "</section>"


def _body(report: Report, words: Words) -> Iterator[str]:
    breaks = view.own(report, Verdict.BREAKS)
    ends = f"{view.end(report.old_name, report.old)}..{view.end(report.new_name, report.new)}"
    yield f'<p class="quiet">{_text(report.upstream)} <code>{_text(ends)}</code></p>'
    tone = "breaks" if breaks else "fine"
    yield f'<p class="headline {tone}">{_text(view.headline(report, words))}</p>'
    yield f"<h2>{_text(words('what_breaks'))}</h2>"
    yield _impacts(report, breaks, words) if breaks else f"<p>{_text(words('nothing_found'))}</p>"
    for verdict in (Verdict.AT_RISK, Verdict.DRIFT):
        heading = f"{words(verdict)}: {words(f'{verdict}_means')}"
        yield from _folded(heading, view.own(report, verdict), report, words)
    yield from _folded(words("in_tests"), view.in_tests(report), report, words)
    if report.commits:
        yield f"<h2>{_text(words('all_commits'))}</h2>"
        commits = words.count("commits", len(report.commits))
        yield f"<p>{_text(words('statistics_line', commits=commits, **view.levels(report)))}</p>"
        if wordings := sections.wordings(report.commits, words):
            yield f'<p class="quiet">{_line(wordings)}</p>'
    for level in LEVELS:
        yield from _commits(report, level, words)
    if report.unanalysed:
        rows = [(f"<code>{_text(file)}</code>", _text(reason)) for file, reason in report.unanalysed]
        yield f"<h2>{_text(words('unanalysed'))} ({len(rows)})</h2>"
        yield "<ul>" + "".join(f"<li>{file}: {reason}</li>" for file, reason in rows) + "</ul>"


def _folded(heading: str, impacts: Sequence[Impact], report: Report, words: Words) -> Iterator[str]:
    if impacts:
        yield f"<details>\n<summary>{_text(heading)} ({len(impacts)})</summary>"
        yield f"{_impacts(report, impacts, words)}\n</details>"


def _impacts(report: Report, impacts: Sequence[Impact], words: Words) -> str:
    columns = [words(key) for key in ("our_line", "what_happens", "upstream_commit", "fix")]
    rows = [
        (
            "<br>".join(f"<code>{_text(f'{p.file}:{p.line}')}</code>" for p in impact.locations),
            _message(report, impact),
            _commit(report, culprit.sha, culprit.commit, words),
            _text(view.mend(impact, words)),
        )
        for culprit in view.culprits(report, impacts)
        for impact in culprit.impacts
    ]
    return _table(columns, rows)


def _message(report: Report, impact: Impact) -> str:
    url = kind_url(report, impact.kind)
    return _text(impact.message) + (f' (<a href="{escape(url)}">{impact.kind}</a>)' if url else "")


def _commits(report: Report, level: str, words: Words) -> Iterator[str]:
    commits = view.of_level(report, level)
    if not commits:
        return
    verdicts: dict[str, Counter[str]] = {}
    for impact in report.impacts:
        if impact.verdict in view.SHOWN:
            verdicts.setdefault(impact.commit, Counter())[words(impact.verdict)] += 1
    columns = [words(key) for key in ("time", "author", "message", "change_type", "for_us")]
    rows = [
        (
            f'<time datetime="{c.date.isoformat()}">{c.date:%Y-%m-%d %H:%M}</time>',
            _text(c.author),
            _commit(report, c.sha, c, words),
            _text(" / ".join(words(f"type_{name.replace(' ', '_')}") for name in c.types)),
            _text(", ".join(f"{name} {count}" for name, count in verdicts.get(c.sha, {}).items())),
        )
        for c in commits
    ]
    opened = " open" if level == "high" else ""
    yield f"<details{opened}>\n<summary>{_text(words(f'section_{level}'))} ({len(commits)})</summary>"
    yield _table(columns, rows)
    for commit in commits:
        yield from _sections(report, commit, words)
    yield "</details>"


def _sections(report: Report, commit: ReportCommit, words: Words) -> Iterator[str]:
    yield f'<details class="commit" id="commit-{escape(commit.sha[:12])}">'
    yield f"<summary>{_text(commit.subject)}</summary>"
    yield f"<p>{_commit(report, commit.sha, None, words)} — {_text(words(commit.level))}</p>"
    impacts = report.by_commit.get(commit.sha, ())
    if impacts:
        ours = words(view.level_for_us(impacts))
        yield f"<p><strong>{_text(words('level_for_us'))}</strong>: {_text(ours)}</p>"
    yield from _listed("summary", [*_wording(commit, words), *sections.summary(commit, words)], words)
    yield from _listed("scope", [sections.scope(commit, words)], words)
    if commit.facts is not None:
        yield from _listed("insight", sections.insight(commit, words), words)
        yield from _listed("risks", sections.risks(commit, words), words)
    if commit.facts is not None or commit.advice:
        yield from _listed("advice", sections.advice(commit, words), words)
    yield "</details>"


def _wording(commit: ReportCommit, words: Words) -> Iterator[Line]:
    """What a model made of the facts, marked as such, or why it is not shown."""
    if commit.wording is not None:
        if shown := sections.worded(commit.wording):
            yield *shown, Piece(f" ({words('prose_by', model=commit.wording.model)})")
        elif shown := sections.unworded(commit.wording, words):
            yield shown


def _listed(key: str, lines: Iterable[Line], words: Words) -> Iterator[str]:
    shown = "".join(f"<li>{_line(line)}</li>" for line in lines)
    if shown:
        yield f"<h4>{_text(words(key))}</h4>\n<ul>{shown}</ul>"


def _line(line: Line) -> str:
    return "".join(
        f"<code>{_text(piece.text)}</code>" if piece.code else escape(piece.text) for piece in line
    )


def _commit(report: Report, sha: str, commit: ReportCommit | None, words: Words) -> str:
    if not sha:
        return _text(words("unknown_commit"))
    subject = f" {_text(commit.subject)}" if commit is not None else ""
    text = f"<code>{_text(sha[:10])}</code>{subject}"
    # Only a web address: a configured page could be anything.
    if report.web is None or urlsplit(report.web).scheme not in ("http", "https"):
        return text
    return f'<a href="{escape(report.web.rstrip("/"))}/commit/{escape(sha)}">{text}</a>'


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{_text(column)}</th>' for column in columns)
    lines = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>"
    return f'<div class="wide" tabindex="0">\n{table}\n</div>'


def _text(text: str) -> str:
    return escape(one_line(text))
