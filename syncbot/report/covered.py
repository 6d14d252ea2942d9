"""Which commits a written report tells of, in a comment that no reader sees, for the report after it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

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
    say."""
    found = [Covered(*map(unquote, match.groups())) for match in _MARK.finditer(text)]
    return {each.upstream: each for each in found or _of_json(text)}


def _of_json(text: str) -> list[Covered]:
    try:
        document = json.loads(text)
        documents = document.get("reports", [document])
        ranges = [each["upstream"] for each in documents]
        return [Covered(str(one["name"]), str(one["from"]), str(one["to"])) for one in ranges]
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return []
