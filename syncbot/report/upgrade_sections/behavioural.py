"""Changes of behaviour under the same names: defaults, results, bodies."""

from __future__ import annotations

from syncbot.impact.model import Verdict
from syncbot.report import view
from syncbot.report.catalogue import Words
from syncbot.report.model import Report
from syncbot.report.upgrade_lines import folded, of_impacts, of_notice
from syncbot.report.upgrade_sections import Told, section
from syncbot.upgrade.model import Topic, Upgrade

# More bodies than these are folded.
_MANY = 8


@section(20, "upgrade_behavioural")
def behavioural(report: Report, words: Words) -> Told:
    """Return unsettled findings, copies with a changed original, other results and defaults; then bodies."""
    impacts = [*view.own(report, Verdict.AT_RISK), *view.own(report, Verdict.DRIFT)]
    notices = (report.upgrade or Upgrade()).about(Topic.BEHAVIOURAL)
    lines = list(of_impacts(report, impacts, words))
    lines += [of_notice(report, notice, words) for notice in notices if notice.what != "body"]
    bodies = [of_notice(report, notice, words) for notice in notices if notice.what == "body"]
    if len(bodies) <= _MANY:
        lines += bodies
        return len(lines), ["\n".join(lines)] if lines else []
    blocks = ["\n".join(lines)] if lines else []
    return len(lines) + len(bodies), [*blocks, folded(words.count("upgrade_bodies", len(bodies)), bodies)]
