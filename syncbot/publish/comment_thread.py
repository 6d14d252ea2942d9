"""A text in one body, and in comments what does not fit. A marker at the end, an HTML comment, finds each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from syncbot.publish.api import Api, Document, create
from syncbot.publish.size_limits import LIMIT, split
from syncbot.report.untrusted_text import visible

# The marker's own line, and room for what edits in a browser add.
_ROOM = 512


@dataclass(frozen=True, slots=True)
class Marker:
    """``<!-- syncbot KIND KEY part N -->``, alone on a line."""

    kind: str
    key: str

    def text(self, part: int = 1) -> str:
        """The marker of a part, counted from 1."""
        return f"<!-- syncbot {self.kind} {self.key} part {part} -->"


_MARKER = re.compile(r"^<!-- syncbot (?P<kind>\S+) (?P<key>\S+) part (?P<part>\d+) -->\s*$", re.MULTILINE)


def marker_of(text: str | None) -> tuple[Marker, int] | None:
    """Return the last marker in a body, and which part it marks; None without one."""
    found = [*_MARKER.finditer(text or "")]
    return (Marker(found[-1]["kind"], found[-1]["key"]), int(found[-1]["part"])) if found else None


def parts(text: str, marker: Marker, room: int = _ROOM) -> list[str]:
    """Return the text in parts that fit, each with its marker at its end."""
    pieces = split(visible(text), LIMIT - room)
    return [f"{piece.rstrip()}\n\n{marker.text(n)}\n" for n, piece in enumerate(pieces, 1)]


def same(one: str | None, other: str) -> bool:
    """Whether two bodies say the same: GitHub may change line ends, and strips white space around."""
    return (one or "").replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()


def update_comments(api: Api, name: str, thread: Document, marker: Marker, bodies: list[str]) -> None:
    """Make the marked comments by a thread's own author those of ``bodies``. Raises EnvironmentFailure."""
    path = f"/repos/{name}/issues/{thread['number']}/comments"
    author = (thread.get("user") or {}).get("login")

    def ours() -> list[tuple[int, Document]]:
        found = []
        for comment in api.pages(path, {}):
            known = marker_of(comment.get("body"))
            if known and known[0] == marker and (comment.get("user") or {}).get("login") == author:
                found.append((known[1], comment))
        return found

    known: dict[int, Document] = {}
    surplus: list[Document] = []
    for part, comment in ours():
        if part in known or not 2 <= part <= len(bodies) + 1:
            surplus.append(comment)
        else:
            known[part] = comment
    for part, body in enumerate(bodies, 2):
        before = known.get(part)
        if before is None:
            create(api, path, {"body": body}, lambda part=part: dict(ours()).get(part))  # type: ignore[misc]
        elif not same(before.get("body"), body):
            api.send("PATCH", f"/repos/{name}/issues/comments/{before['id']}", {"body": body})
    for comment in surplus:
        api.send("DELETE", f"/repos/{name}/issues/comments/{comment['id']}")
