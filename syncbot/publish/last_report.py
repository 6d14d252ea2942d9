"""The newest report that was published whole: what it covers is where the next one begins."""

from __future__ import annotations

from datetime import date

from syncbot.publish.api import Api, Document
from syncbot.publish.comment_thread import marker_of
from syncbot.publish.report_issue import KIND, issues
from syncbot.report.covered import Covered, covered_in


def last_covered(api: Api, name: str, label: str, today: date) -> dict[str, Covered]:
    """Return what the reports of the newest day cover, by upstream. That of today will be replaced: it counts
    as one that covers nothing yet. A report of which a part is missing does not count. Raises
    EnvironmentFailure."""
    for issue in issues(api, name, label, {"state": "all"}):
        marked = marker_of(issue.get("body"))
        if marked is None or marked[0].kind != KIND:
            continue
        found = covered_in(str(issue["body"])) or _in_comments(api, name, issue)
        if found and marked[0].key == today.isoformat():
            return {key: Covered(key, each.old, each.old) for key, each in found.items()}
        if found:
            return found
    return {}


def _in_comments(api: Api, name: str, issue: Document) -> dict[str, Covered]:
    """Return the ranges that comments of the issue's own author cover; the mark is in the last part."""
    author = (issue.get("user") or {}).get("login")
    found: dict[str, Covered] = {}
    for comment in api.pages(f"/repos/{name}/issues/{issue['number']}/comments", {}):
        own = (comment.get("user") or {}).get("login") == author
        if own and marker_of(comment.get("body")) is not None:
            found |= covered_in(str(comment["body"]))
    return found
