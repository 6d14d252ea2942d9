"""Breaks: uses that fail or do the wrong thing if they stay as they are."""

from __future__ import annotations

from syncbot.impact.model import Verdict
from syncbot.report import view
from syncbot.report.catalogue import Words
from syncbot.report.model import Report
from syncbot.report.upgrade_lines import of_impacts
from syncbot.report.upgrade_sections import Told, section


@section(10, "upgrade_breaking")
def breaking(report: Report, words: Words) -> Told:
    """Each break of the sources, and those of the tests alone."""
    found = view.own(report, Verdict.BREAKS)
    in_tests = [impact for impact in view.in_tests(report) if impact.verdict is Verdict.BREAKS]
    lines = list(of_impacts(report, (*found, *in_tests), words))
    return len(lines), ["\n".join(lines)] if lines else []
