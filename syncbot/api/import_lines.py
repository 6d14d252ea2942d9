"""The import statements that begin a line: nearly all that run whenever a module is imported."""

from __future__ import annotations

import re
from collections.abc import Callable

from syncbot.api.model import Import

_REST = rb"(?:[^\n#;\\]|\\\r?\n)*"
_FROM = rb"from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|" + _REST + rb")"
_STATEMENT = re.compile(rb"\n(?:" + _FROM + rb"|import[ \t]+(" + _REST + rb"))")
_COMMENT = re.compile(r"#.*")


class ImportLines:
    """The imports at the beginnings of lines, by blob. They are read without parsing: an import inside a
    string counts as a statement, and a second statement in a line is missed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Import, ...]] = {}

    def get(self, blob: str, read: Callable[[str], bytes], /) -> tuple[Import, ...]:
        """The imports of one blob."""
        known = self._known.get(blob)
        if known is None:
            known = self._known[blob] = import_lines(read(blob))
        return known


def import_lines(source: bytes) -> tuple[Import, ...]:
    """The names that import statements at the beginning of a line bind."""
    found: list[Import] = []
    lines = b"\n" + source
    for match in _STATEMENT.finditer(lines):
        module, taken, imported = ((part or b"").decode(errors="replace") for part in match.groups())
        line = lines.count(b"\n", 0, match.start()) + 1
        for item in _COMMENT.sub("", (taken or imported).replace("\\", " ")).strip(" ()\r\n").split(","):
            name, _, local = (part.strip() for part in item.partition(" as "))
            if name and module:
                above = module.lstrip(".")
                found.append(Import(above, name, local or name, len(module) - len(above), line))
            elif name:
                found.append(Import(name, None, local or name.partition(".")[0], 0, line))
    return tuple(found)
