"""The report of an upgrade as Markdown: what maintainers post for each version of what they build on."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.impact.model import Verdict
from syncbot.report import names, view
from syncbot.report.catalogue import Words
from syncbot.report.formats import UPGRADE, Reports, renderer
from syncbot.report.model import Report
from syncbot.report.runs import run_sentences
from syncbot.report.untrusted_text import prose
from syncbot.report.upgrade_sections import sections
from syncbot.upgrade.model import Likeness, Topic, Upgrade


@renderer(UPGRADE)
def as_upgrade(reports: Reports, words: Words) -> str:
    """The report of an upgrade, one after the other for several upstreams."""
    blocks = [block for report in reports for block in _blocks(report, words)]
    return "\n\n".join([*blocks, *view.marks(reports)]) + "\n"


def _blocks(report: Report, words: Words) -> Iterator[str]:
    yield f"# {prose(names.title((report,), words))}"
    yield f"**{prose(_summary(report, words))}**"
    for section in sections():
        number, blocks = section.tell(report, words)
        yield f"## {words(section.heading)} ({number})"
        yield from blocks or [words("upgrade_none")]
    yield from map(prose, run_sentences(report, words))
    yield from map(prose, view.accepted(report, words))
    if (unjudged := view.unjudged(report, words)) is not None:
        yield prose(unjudged)


def _summary(report: Report, words: Words) -> str:
    """The verdict, and how much of everything else there is, in one sentence."""
    upgrade = report.upgrade or Upgrade()
    behavioural = [*view.own(report, Verdict.AT_RISK), *view.own(report, Verdict.DRIFT)]
    counts = {
        "upgrade_counted_behavioural": len(behavioural) + len(upgrade.about(Topic.BEHAVIOURAL)),
        "upgrade_counted_optional": len(upgrade.about(Topic.OPTIONAL)),
        "upgrade_counted_dependencies": len(upgrade.dependencies),
    }
    told = words("list_and").join(words.count(key, number) for key, number in counts.items())
    same, names_ = len(upgrade.named(Likeness.SAME)), len(upgrade.names)
    return words("upgrade_summary", verdict=view.headline(report, words), counts=told, same=same, all=names_)
