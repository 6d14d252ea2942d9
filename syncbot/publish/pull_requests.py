"""A pull request from a branch that only syncbot writes: opened once, updated after that."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from syncbot.errors import UsageError
from syncbot.publish.api import Api, Document, create
from syncbot.publish.comment_thread import Marker, parts, same, update_comments
from syncbot.publish.size_limits import size

#: The last line of every message of a commit that may be replaced.
TRAILER = "Generated-by: syncbot publish pr"
_ROOM = 1024


@dataclass(frozen=True, slots=True)
class Proposal:
    """A pull request to be. ``content`` is a digest of what it changes."""

    branch: str
    base: str
    title: str
    text: str
    content: str

    @property
    def marker(self) -> Marker:
        """The marker that identifies its comments, and its part of the body."""
        return Marker("pull", self.branch)

    def begin(self, content: str) -> str:
        """The line before syncbot's part of the body; what stands around that part is left alone."""
        return f"<!-- syncbot pull {self.branch} begin {content} -->"


def find(api: Api, name: str, proposal: Proposal) -> Document | None:
    """Return the open pull request from the branch; else a closed one with the same content; else None."""
    owner = name.partition("/")[0]
    query = {"state": "all", "head": f"{owner}:{proposal.branch}"}
    found = [*api.pages(f"/repos/{name}/pulls", query)]
    rejected = [p for p in found if proposal.begin(proposal.content) in (p.get("body") or "")]
    return next((p for p in found if p["state"] == "open"), None) or next(iter(rejected), None)


def demand_own(api: Api, name: str, branch: str, commit: str) -> Document:
    """Return the commit that the branch is at. Raises UsageError if syncbot did not make it."""
    found = api.get(f"/repos/{name}/git/commits/{commit}")
    if TRAILER not in str(found.get("message", "")).splitlines():
        author = (found.get("author") or {}).get("name", "somebody")
        raise UsageError(
            f"branch {branch} has the commit {commit[:10]} by {author}, which would be lost: "
            "merge it, or name another --branch"
        )
    return found


def publish(
    api: Api, name: str, proposal: Proposal, pull: Document | None, say: Callable[[str], None]
) -> None:
    """Open the pull request, or update the one that is open. Raises EnvironmentFailure."""
    before = (pull.get("body") or "").replace("\r\n", "\n") if pull else ""
    head, tail = _around(before, proposal)
    begin = proposal.begin(proposal.content)
    bodies = parts(proposal.text, proposal.marker, _ROOM + size(head) + size(tail))
    wanted = {"title": proposal.title, "body": f"{head}{begin}\n{bodies[0].rstrip()}{tail}\n"}
    if pull is None:
        new = {**wanted, "head": proposal.branch, "base": proposal.base}
        pull = create(api, f"/repos/{name}/pulls", new, lambda: find(api, name, proposal))
        what = "opened"
    elif pull.get("title") != wanted["title"] or not same(before, wanted["body"]):
        pull = {**pull, **api.send("PATCH", f"/repos/{name}/pulls/{pull['number']}", wanted)}
        what = "updated"
    else:
        what = "looked at"
    update_comments(api, name, pull, proposal.marker, bodies[1:])
    say(f"pull request {what}: {pull.get('html_url') or pull['number']}")


def _around(body: str, proposal: Proposal) -> tuple[str, str]:
    """Return the text that people wrote before and after syncbot's part; all where that part is missing."""
    begin = re.escape(proposal.begin("CONTENT")).replace("CONTENT", r"\w+")
    end = re.escape(proposal.marker.text(1))
    found = re.search(rf"^{begin}$.*?^{end}[ \t]*$", body, re.MULTILINE | re.DOTALL)
    if found is None:
        return (f"{body.rstrip()}\n\n" if body.strip() else ""), ""
    return body[: found.start()], body[found.end() :].rstrip()
