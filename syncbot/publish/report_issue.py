"""One issue a day, or an upgrade, with the report: opened once, edited after that; that of a day is closed
when it is old."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol
from urllib.parse import quote

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.publish.api import Api, Document, create, repository
from syncbot.publish.comment_thread import Marker, marker_of, parts, same, update_comments
from syncbot.report.covered import covered_in
from syncbot.report.untrusted_text import one_line

#: What marks the issue of a day's report, and that of an upgrade.
KIND = "report"
UPGRADE = "upgrade"
_TITLE = 256
_ABOUT = {"color": "5319e7", "description": "Written by syncbot"}


class IssueText(Protocol):
    """The text of an issue, and the marks by which it is found."""

    @property
    def text(self) -> str:
        """The Markdown text."""

    @property
    def label(self) -> str:
        """The label of the issue."""

    @property
    def marker(self) -> Marker:
        """The marker that identifies the issue, beside its label."""

    @property
    def since(self) -> str | None:
        """A moment before which the issue was not opened; None where nobody knows one."""

    def title(self) -> str:
        """Return the title of the issue."""


@dataclass(frozen=True, slots=True)
class DailyReport:
    """The report of one day, under a label."""

    text: str
    day: date
    label: str = "syncbot"

    @property
    def marker(self) -> Marker:
        """The day."""
        return Marker(KIND, self.day.isoformat())

    @property
    def since(self) -> str:
        """The issue was updated when it was opened: not before its day began anywhere on earth."""
        return f"{self.day - timedelta(days=1)}T00:00:00Z"

    def title(self) -> str:
        """The report's first heading, with the day if it does not name one."""
        words = _heading(self.text)
        dated = words if re.search(r"\d{4}-\d\d-\d\d", words) else f"{words} ({self.day.isoformat()})"
        return _cut(dated)


@dataclass(frozen=True, slots=True)
class UpgradeReport:
    """The report of one upgrade, under a label: the ends that it covers are that upgrade."""

    text: str
    label: str = "syncbot"

    @property
    def marker(self) -> Marker:
        """The upstreams with both ends. Raises UsageError where the text names none."""
        found = covered_in(self.text).values()
        if not found:
            raise UsageError("the report names no ends: write it with syncbot check --format upgrade")
        ends = ("..".join(quote(part, safe="") for part in (c.upstream, c.old, c.new)) for c in found)
        return Marker(UPGRADE, "+".join(ends))

    @property
    def since(self) -> None:
        """An upgrade may have been reported at any time."""
        return None

    def title(self) -> str:
        """The report's first heading."""
        return _cut(_heading(self.text))


def _heading(text: str) -> str:
    found = re.search(r"^# +(.+?)\s*$", text, re.MULTILINE)
    return one_line(re.sub(r"\\(?=[^\w\s])|<[^>]*>|&#8203;", "", found[1] if found else "syncbot"))


def _cut(title: str) -> str:
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"


def publish(api: Api, name: str, report: IssueText, say: Callable[[str], None]) -> None:
    """Open or update the issue of a report. Raises UsageError, EnvironmentFailure."""
    if not report.text.strip():
        raise UsageError("the report is empty: write it with syncbot check --format markdown")
    name, _ = repository(api, name)
    bodies = parts(report.text, report.marker)
    wanted = {"title": report.title(), "body": bodies[0]}
    found = _find(api, name, report)
    if found is None:
        _make_label(api, name, report.label)
        labelled = {**wanted, "labels": [report.label]}
        found = create(api, f"/repos/{name}/issues", labelled, lambda: _find(api, name, report))
        _demand_label(found, report.label)
        what = "opened"
    elif found.get("title") != wanted["title"] or not same(found.get("body"), bodies[0]):
        found = {**found, **api.send("PATCH", f"/repos/{name}/issues/{found['number']}", wanted)}
        what = "updated"
    else:
        what = "looked at"
    update_comments(api, name, found, report.marker, bodies[1:])
    say(f"issue {what}: {found.get('html_url') or found['number']}")


def _find(api: Api, name: str, report: IssueText) -> Document | None:
    """The report's issue, open or closed; the first one if there are several."""
    later = {"since": report.since} if report.since is not None else {}
    found = [
        issue
        for issue in issues(api, name, report.label, {"state": "all", **later})
        if marker_of(issue.get("body")) == (report.marker, 1)
    ]
    return min(found, key=lambda issue: int(issue["number"]), default=None)


def issues(api: Api, name: str, label: str, query: dict[str, str]) -> Iterator[Document]:
    """The issues under the label; for this list GitHub counts pull requests among issues."""
    for issue in api.pages(f"/repos/{name}/issues", {"labels": label, **query}):
        if "pull_request" not in issue:
            yield issue


def close_older(api: Api, name: str, report: DailyReport, days: int, say: Callable[[str], None]) -> None:
    """Close the issues of days that are more than so many days older. Raises UsageError and
    EnvironmentFailure."""
    name, _ = repository(api, name)
    last = report.day - timedelta(days=days)
    for issue in [*issues(api, name, report.label, {"state": "open"})]:
        known = marker_of(issue.get("body"))
        if known is None or known[0].kind != KIND:
            continue
        try:
            day = date.fromisoformat(known[0].key)
        except ValueError:
            continue
        if day < last:
            body = {"state": "closed", "state_reason": "completed"}
            api.send("PATCH", f"/repos/{name}/issues/{issue['number']}", body)
            say(f"issue closed: {issue.get('html_url') or issue['number']}")


def _make_label(api: Api, name: str, label: str) -> None:
    path = f"/repos/{name}/labels"

    def there() -> Document | None:
        return api.find(f"{path}/{quote(label, safe='')}")

    if there() is None:
        create(api, path, {"name": label, **_ABOUT}, there)


def _demand_label(issue: Document, label: str) -> None:
    """GitHub drops labels silently where the token may not set them; the issue would never be found."""
    if issue.get("labels") is None:
        return
    names = [entry.get("name") if isinstance(entry, dict) else entry for entry in issue["labels"]]
    if label.lower() not in [str(name).lower() for name in names]:
        raise EnvironmentFailure(
            f"issue {issue['number']} was opened without the label {label!r}, so that no later run finds it: "
            "use a token that may set labels, and close that issue"
        )
