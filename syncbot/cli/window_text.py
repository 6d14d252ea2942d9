"""A window of releases as a table and an answer: for a terminal, for a README, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from syncbot.report.untrusted_text import inline, table

if TYPE_CHECKING:
    from syncbot.verify.release_ranges import Borders
    from syncbot.verify.violations import Violation
    from syncbot.workflows.window import JudgedRelease, Window


def as_text(found: Window) -> list[str]:
    """Return the lines for a terminal: a row for each release, then the answer."""
    width = max(len(str(each.version)) for each in found.releases)
    width = max(width, len("release"))
    lines = [_head(found), "", f"{'release':<{width}}  breaks  at risk  first line"]
    for each in found.releases:
        row = f"{each.version!s:<{width}}  {len(each.breaks):>6}  {len(each.at_risk):>7}  {_first(each)}"
        lines.append(row.rstrip())
    return [*lines, "", *_answer(found)]


def as_markdown(found: Window) -> list[str]:
    """Return the lines for a README."""
    rows = [
        (str(each.version), str(len(each.breaks)), str(len(each.at_risk)), inline(_first(each)))
        for each in found.releases
    ]
    head = (inline(found.upstream), "breaks", "at risk", "first line")
    return [*table(head, rows).split("\n"), "", *(f"- {inline(line)}" for line in _answer(found))]


def as_json(found: Window) -> dict[str, object]:
    """Return the document, of schema 1."""
    return {
        "schema": 1,
        "project": found.project,
        "upstream": found.upstream,
        "declared": found.declared,
        "left_out": found.left_out,
        "runs_on": found.words,
        "requirement": found.requirement,
        "releases": [
            {
                "version": str(each.version),
                "declared": each.declared,
                "runs": each.runs,
                "breaks": [asdict(v) for v in each.breaks],
                "at_risk": [asdict(v) for v in each.at_risk],
                "conflicts": [asdict(c) for c in each.conflicts],
            }
            for each in found.releases
        ],
    }


def _head(found: Window) -> str:
    declared = f"declared: {found.declared}" if found.declared else "no window is declared: the last releases"
    older = f"; {found.left_out} older declared releases are not looked at (--most)" if found.left_out else ""
    return f"{found.project} on releases of {found.upstream} ({found.why}); {declared}{older}"


def _first(release: JudgedRelease) -> str:
    """The first line that does not run, else the requirements that do not meet, else the first at risk."""
    if release.breaks:
        return _line(release.breaks[0])
    if release.conflicts:
        conflict = release.conflicts[0]
        return f"not installable beside it: {conflict.theirs} against {conflict.ours}"
    return f"at risk: {_line(release.at_risk[0])}" if release.at_risk else ""


def _line(violation: Violation) -> str:
    return f"{violation.file}:{violation.line}: {violation.message}"


def _answer(found: Window) -> Iterator[str]:
    if found.requirement is None:
        yield f"Runs on none of these releases of {found.upstream}."
        return
    yield f"Runs on {found.words}: write {found.requirement}"
    by_version = {each.version: each for each in found.releases}
    for border in found.borders:
        yield _border(border, by_version[border.before if border.runs else border.behind], found)
    promised = [str(each.version) for each in found.releases if each.declared and not each.runs]
    if promised:
        yield f"Declared, and does not run: {', '.join(promised)}"


def _border(border: Borders, failing: JudgedRelease, found: Window) -> str:
    """Where it begins or ends to run, by the line and the release; for the pull request, the command."""
    told = f"{border.behind} is the first " + (
        f"that it runs on again, after {failing.version}" if border.runs else "that it does not run on"
    )
    range_ = f"syncbot check --from {border.before} --to {border.behind}"
    return f"{told}: {_first(failing)}{f' (the pull request: {range_})' if found.by_commits else ''}"
