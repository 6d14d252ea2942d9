"""The definition of one name cut out of a file's text: fast enough for a long history of a large file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.remembered_answers import remembered

# What goes on with the statement above although it stands at the margin.
_CONTINUED = (b" ", b"\t", b")", b"]", b"}", b"#", b"\n", b"\r")


@remembered(4096)
def _table(text: bytes) -> ModuleTable:
    return extract(text)


def definitions(text: bytes | None, name: str) -> ModuleTable | None:
    """The interface of what a file defines at its top as ``name``; if possible, only that is parsed."""
    if text is None or name.encode() not in text:
        return None
    found = b"".join(_slices(text, name))
    table = _table(found) if found else None
    if table is None or table.problem is not None:
        if not re.search(rb"^[ \t]*(?:class |def |async def )?" + name.encode() + rb"\b", text, re.MULTILINE):
            return None
        table = _table(text)
    chosen = ModuleTable(
        functions=tuple(f for f in table.functions if f.name == name),
        classes=tuple(c for c in table.classes if c.name == name),
        variables=tuple(v for v in table.variables if v.name == name),
    )
    return chosen if chosen != ModuleTable() else None


def _slices(text: bytes, name: str) -> Iterator[bytes]:
    start = re.compile(rb"(?:(?:async )?def |class )" + name.encode() + rb"\b|" + name.encode() + rb"\s*[:=]")
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if start.match(line):
            first = number
            while first and _decorates(lines, first - 1):
                first -= 1
            last = number + 1
            while last < len(lines) and lines[last].startswith(_CONTINUED):
                last += 1
            yield b"".join(lines[first:last])


def _decorates(lines: list[bytes], number: int) -> bool:
    """Whether a line belongs to decorators: it is one, or the rest of one of several lines."""
    while number >= 0 and lines[number].startswith((b" ", b"\t", b")")):
        number -= 1
    return number >= 0 and lines[number].startswith(b"@")
