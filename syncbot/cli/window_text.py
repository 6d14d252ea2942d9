"""A window of releases as a table and an answer: for a terminal, and for a README."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from syncbot.report.untrusted_text import inline, table

if TYPE_CHECKING:
    from syncbot.impact.runs import RunFailure
    from syncbot.verify.release_ranges import Borders
    from syncbot.verify.violations import Violation
    from syncbot.workflows.window import JudgedRelease, Window
    from syncbot.workflows.window_run import ReleaseRun


def as_text(found: Window) -> list[str]:
    """Return the lines for a terminal: a row for each release, then the answer."""
    rows = [_titles(found, "release"), *(_row(each) for each in found.releases)]
    numbers = (1, 2)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            text.rjust(width) if number in numbers else text.ljust(width)
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return [_head(found), "", *(line.rstrip() for line in lines), "", *_answer(found)]


def as_markdown(found: Window) -> list[str]:
    """Return the lines for a README."""
    rows = [tuple(map(inline, _row(each))) for each in found.releases]
    head = _titles(found, inline(found.upstream))
    return [*table(head, rows).split("\n"), "", *(f"- {inline(line)}" for line in _answer(found))]


def _titles(found: Window, first: str) -> tuple[str, ...]:
    ran = ("ran", "shown by") if found.run is not None else ()
    return (first, "breaks", "at risk", *ran, "first line")


def _row(release: JudgedRelease) -> tuple[str, ...]:
    ran = (_ran(release.ran), release.shown_by or "") if release.ran is not None else ()
    return (
        str(release.version), str(len(release.breaks)), str(len(release.at_risk)), *ran, _first(release)
    )  # fmt: skip


def _ran(run: ReleaseRun) -> str:
    if run.not_installed is not None:
        return "not installed"
    modules, tests = run.modules + run.modules_lost, run.tests + run.tests_lost
    return f"imports {run.modules} of {modules}, tests {run.tests} of {tests}"


def _head(found: Window) -> str:
    declared = f"declared: {found.declared}" if found.declared else "no window is declared: the last releases"
    older = f"; {found.left_out} older declared releases are not looked at (--most)" if found.left_out else ""
    return f"{found.project} on releases of {found.upstream} ({found.why}); {declared}{older}"


def _first(release: JudgedRelease) -> str:
    """The first line that does not run, by reading and by running; else why it was not installed, else the
    first at risk."""
    told = [*_read(release), *_ran_first(release)]
    if not told and release.ran is not None and release.ran.not_installed is not None:
        return f"cannot be installed: {release.ran.not_installed}"
    if not told and release.at_risk:
        return f"at risk: {_line(release.at_risk[0])}"
    return "; ".join(told)


def _read(release: JudgedRelease) -> Iterator[str]:
    """The first line that breaks, else the requirements that do not meet."""
    if release.breaks:
        yield _line(release.breaks[0])
    elif release.conflicts:
        conflict = release.conflicts[0]
        yield f"not installable beside it: {conflict.theirs} against {conflict.ours}"


def _ran_first(release: JudgedRelease) -> Iterator[str]:
    """The first failure of a run; its line is not said again where reading has said it."""
    for failure in release.ran.failures[:1] if release.ran is not None else ():
        said = {(v.file, v.line) for v in release.breaks[:1]}
        at = failure.place
        yield _failure(failure, placed=at is None or (at.file, at.line) not in said)


def _line(violation: Violation) -> str:
    return f"{violation.file}:{violation.line}: {violation.message}"


def _failure(failure: RunFailure, placed: bool = True) -> str:
    place = f"{failure.place.file}:{failure.place.line}: " if failure.place is not None and placed else ""
    return f"{place}{failure.what} {failure.name} fails: {failure.error}"


def _answer(found: Window) -> Iterator[str]:
    if found.requirement is None:
        yield f"Runs on none of these releases of {found.upstream}."
    else:
        yield f"Runs on {found.words}: write {found.requirement}"
        by_version = {each.version: each for each in found.releases}
        for border in found.borders:
            yield _border(border, by_version[border.before if border.runs else border.behind], found)
        promised = [str(each.version) for each in found.releases if each.declared and not each.runs]
        if promised:
            yield f"Declared, and does not run: {', '.join(promised)}"
    yield from _notes(found)


def _border(border: Borders, failing: JudgedRelease, found: Window) -> str:
    """Where it begins or ends to run, by the line and the release; for the pull request, the command."""
    told = f"{border.behind} is the first " + (
        f"that it runs on again, after {failing.version}" if border.runs else "that it does not run on"
    )
    range_ = f"syncbot check --from {border.before} --to {border.behind}"
    return f"{told}: {_first(failing)}{f' (the pull request: {range_})' if found.by_commits else ''}"


def _notes(found: Window) -> Iterator[str]:
    """Notes on the runs that a reader needs: what counts as no break, and what was not run."""
    if found.run is None:
        return
    ran = [(str(each.version), each.ran) for each in found.releases if each.ran is not None]
    own = [_failure(each) for each in found.run.own]
    yield from _some("Works on none of these releases, so that it is no break of upstream", own)
    refused = [f"{version}: {run.not_installed}" for version, run in ran if run.not_installed is not None]
    yield from _some("Cannot be installed here, and is judged by reading alone", refused)
    uncounted = [f"on {version} {_failure(each)}" for version, run in ran for each in run.uncounted]
    yield from _some("Fails for what a test itself does, or for the environment: no break", uncounted)
    flaky = [f"{name} on {version}" for version, run in ran for name in run.flaky]
    yield from _some("Fails at one run and not at the next: no break", flaky)
    hanging = [f"{name} on {version}" for version, run in ran for name in run.hanging]
    yield from _some("Reaches its limit: no break", hanging)
    if found.run.files_left:
        left, files = found.run.files_left, found.run.files
        yield f"The budget had no room for {left} of {files} files of tests"
    yield from (f"On {version}, {note}" for version, run in ran for note in run.notes)
    yield from found.run.notes


def _some(what: str, names: Sequence[str]) -> Iterator[str]:
    """How many there are, and the first."""
    if names:
        yield f"{what} ({len(names)}): {'such as ' if len(names) > 1 else ''}{names[0]}"
