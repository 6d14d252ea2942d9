"""Which commits a written report tells of, in a comment that no reader sees, for the report after it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from syncbot.impact.model import Ended

#: What ``--since`` takes for where the last report ended.
LAST = "last-report"
_MARK = re.compile(r"^<!-- syncbot covers (\S+) (\S+) (\S+) -->\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Covered:
    """The commits after ``old`` up to ``new`` (tags or shas) of an upstream, named as it was asked for."""

    upstream: str
    old: str
    new: str

    def mark(self) -> str:
        """The comment, alone on a line."""
        named = (quote(part, safe="") for part in (self.upstream, self.old, self.new))
        return f"<!-- syncbot covers {' '.join(named)} -->"


def covered_in(text: str) -> dict[str, Covered]:
    """Return what a report covers, by its upstreams, from Markdown, HTML or JSON; nothing where it does not
    say. One that lacks what an engine would find covers nothing after its old end."""
    found = [Covered(*map(unquote, match.groups())) for match in _MARK.finditer(text)]
    return {each.upstream: each for each in found or _of_json(text)}


def _of_json(text: str) -> list[Covered]:
    try:
        document = json.loads(text)
        documents = document.get("reports", [document])
        return [_of_document(each) for each in documents]
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return []


def _of_document(document: dict[str, Any]) -> Covered:
    ends = document["upstream"]
    whole = all(engine["state"] == Ended.FINISHED for engine in document.get("engines", ()))
    return Covered(str(ends["name"]), str(ends["from"]), str(ends["to" if whole else "from"]))
