"""The search page's index, in scripts that the first search loads: pages from a disk fetch no data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncbot.report.untrusted_text import json_text, one_line
from syncbot.site.model import SearchEntry

#: The size of a part at most, in bytes.
PART = 150_000


def parts(entries: Iterable[SearchEntry]) -> Iterator[bytes]:
    """The entries in their order as scripts, each of at most ``PART`` bytes (one entry alone aside)."""
    lines: list[str] = []
    size = 0
    for entry in entries:
        fields = [entry.kind, one_line(entry.title), one_line(entry.beside), entry.url]
        line = json_text(fields, None)
        if lines and size + len(line) > PART:
            yield _script(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 2
    if lines:
        yield _script(lines)


def _script(lines: list[str]) -> bytes:
    return ("syncbotIndex([\n" + ",\n".join(lines) + "\n]);\n").encode("ascii")
