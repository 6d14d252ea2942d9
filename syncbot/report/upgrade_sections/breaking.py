"""What fails or does the wrong thing as it is."""

from __future__ import annotations

from syncbot.impact.model import Verdict
from syncbot.report import view
from syncbot.report.catalogue import Words
from syncbot.report.model import Report
from syncbot.report.upgrade_lines import of_impact
from syncbot.report.upgrade_sections import Told, section


@section(10, "upgrade_breaking")
def breaking(report: Report, words: Words) -> Told:
    """Each break of the sources, and those of the tests alone."""
    found = view.own(report, Verdict.BREAKS)
    in_tests = [impact for impact in view.in_tests(report) if impact.verdict is Verdict.BREAKS]
    lines = [of_impact(report, impact, words) for impact in (*found, *in_tests)]
    return len(lines), ["\n".join(lines)] if lines else []
