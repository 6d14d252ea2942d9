"""The report as one HTML page that needs nothing else: no scripts, no fonts, no requests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from syncbot.impact.importance import LEVELS
from syncbot.impact.model import Impact, Verdict
from syncbot.report import links, names, runs, sections, view
from syncbot.report.breakable import breakable
from syncbot.report.catalogue import Words
from syncbot.report.evidence import by_lines_once, excerpts
from syncbot.report.formats import Reports, renderer
from syncbot.report.model import Report, ReportCommit
from syncbot.report.phrases import Line, Piece
from syncbot.report.untrusted_text import one_line, printable

if TYPE_CHECKING:
    from jinja2 import Environment


@renderer("html")
def as_html(reports: Reports, words: Words) -> str:
    """The report as an HTML document, a section for each of several upstreams."""
    title = names.title(reports, words)
    page = _environment().get_template("page.html").render(reports=reports, words=words, title=title)
    return "\n".join([page, *view.marks(reports)]) + "\n"


def content(reports: Reports, words: Words, page_of: Callable[[Impact], str] | None = None) -> str:
    """Return the document below its title, for somebody else's page: elements without a style. Links to the
    pages of impacts start from the parent of the page's folder."""
    text = _environment().get_template("content.html").render(reports=reports, words=words, page_of=page_of)
    return text.removesuffix("\n")


@cache
def _environment() -> Environment:
    # Only who writes pages waits for the import.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("syncbot.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    asked: tuple[Callable[..., object], ...] = (
        *(
            view.accepted,
            view.culprits,
            view.happens,
            view.headline,
            view.last_word,
            view.in_tests,
            view.tests_heading,
            view.level_for_us,
            view.levels,
            view.mend,
            view.meant,
            view.removal,
        ),
        *(
            view.of_level,
            view.own,
            view.testimony,
            view.unjudged,
            view.unread,
            sections.advice,
            sections.insight,
        ),
        *(
            breakable,
            by_lines_once,
            excerpts,
            names.named,
            names.span,
            view.by_file,
            sections.purpose,
            sections.risks,
            sections.scope,
            sections.wordings,
            links.commit_url,
            runs.ran,
            runs.run_sentences,
            links.kind_url,
            one_line,
        ),
    )
    made.filters |= {function.__name__: function for function in asked}
    made.filters |= {"summary": _summary, "verdicts": _verdicts, "lines": _lines}
    made.globals |= {"levels": LEVELS, "Verdict": Verdict, "page_of": None}
    return made


def _lines(text: str) -> str:
    return "\n".join(printable(line) for line in text.split("\n"))


def _summary(commit: ReportCommit, words: Words) -> list[Line]:
    """Return a model's wording of the facts, marked, or why it is not shown; then the plain summary."""
    found = sections.summary(commit, words)
    if commit.wording is not None:
        if shown := sections.worded(commit.wording):
            return [(*shown, Piece(f" ({words('prose_by', model=commit.wording.model)})")), *found]
        if shown := sections.unworded(commit.wording, words):
            return [shown, *found]
    return found


def _verdicts(report: Report, words: Words) -> dict[str, str]:
    """How many impacts of which verdict each commit has."""
    return {
        sha: view.counted((impact.verdict for impact in impacts), words)
        for sha, impacts in report.by_commit.items()
    }
