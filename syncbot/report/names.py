"""Names of commits, releases and ranges: a release by its version, a commit by its short sha."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.report.catalogue import Words
from syncbot.report.model import Report, ReportCommit
from syncbot.report.untrusted_text import one_line


def end(name: str, sha: str) -> str:
    """One end of the range as a reader knows it."""
    return one_line(name) or sha[:10]


def ends(report: Report) -> tuple[str, str]:
    """Both ends of the range as a reader knows them: of releases, the versions."""
    old, new = end(report.old_name, report.old), end(report.new_name, report.new)
    return (_version(old), _version(new)) if report.of_releases else (old, new)


def end_of(report: Report, name: str) -> str:
    """A tag or a short sha as a reader knows it: of a release, the version."""
    return _version(one_line(name)) if report.of_releases else one_line(name)


def span(report: Report, words: Words) -> str:
    """The range as a reader knows it."""
    old, new = ends(report)
    return words("from_to", old=old, new=new) if report.of_releases else f"{old}..{new}"


def _version(tag: str) -> str:
    return tag.removeprefix("v") if tag[1:2].isdigit() else tag


def term(report: Report, key: str, words: Words, **values: object) -> str:
    """The text of a key that has another one, with ``release_`` before it, where releases are told."""
    return words(f"release_{key}" if report.of_releases else key, **values)


def counted(report: Report, words: Words) -> str:
    """How many commits, or releases, there are."""
    return words.count("releases" if report.of_releases else "commits", len(report.commits))


def named(commit: ReportCommit) -> str:
    """Return the long name of a commit: short sha, pull request and subject; of a release, its version and
    day."""
    subject = one_line(commit.subject)
    if commit.release:
        return f"{subject} ({commit.date:%Y-%m-%d})"
    pr = f" #{commit.pr}" if commit.pr is not None else ""
    return f"{commit.sha[:10]}{pr} {subject.removesuffix(f'(#{commit.pr})').rstrip()}"


def short_name(commit: ReportCommit) -> str:
    """Return the short name of a commit: its short sha and pull request, or its version."""
    return commit.release or commit.sha[:10] + (f" #{commit.pr}" if commit.pr is not None else "")


def title(reports: Sequence[Report], words: Words) -> str:
    """The title: the two ends that were asked for; of a period, its releases, or the days that its commits
    are from."""
    if len(reports) == 1:
        (report,) = reports
        if not report.dated:
            old, new = ends(report)
            return f"{one_line(report.upstream)} {words('from_to', old=old, new=new)}"
        if report.commits and report.of_releases:
            return words("list_and").join(map(named, reversed(report.commits)))
    days = sorted({c.date.date().isoformat() for report in reports for c in report.commits})
    if not days:
        return words("title")
    return words("title_day" if len(days) == 1 else "title_days", first=days[0], last=days[-1])
