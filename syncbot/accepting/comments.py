"""``# syncbot: ignore[kind] reason`` in a line of the backend's sources, or alone on the line above it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from syncbot.contracts.change_codes import kind_named
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.sources import SourceFile

_COMMENT = re.compile(r"#\s*syncbot:\s*ignore(?:\[(?P<kinds>[^\]]*)\])?[\s:-]*(?P<reason>.*)$")


@dataclass(frozen=True, slots=True)
class IgnoreComment:
    """A comment for a line: which kinds it accepts there, and why; ``wrong`` says what makes it count for
    nothing."""

    file: str
    at: int
    line: int
    kinds: frozenset[ChangeKind]
    reason: str
    wrong: str = ""


def ignore_comments(files: Iterable[SourceFile]) -> Iterator[IgnoreComment]:
    """Every such comment of some files."""
    for file in files:
        if b"syncbot:" not in file.text:
            continue
        lines = file.text.decode("utf-8", "replace").splitlines()
        for number, text in enumerate(lines, 1):
            found = _COMMENT.search(text)
            if found is not None:
                alone = not text[: found.start()].strip()
                yield _comment(file.path, number, number + alone, found)


def _comment(file: str, at: int, line: int, found: re.Match[str]) -> IgnoreComment:
    names = [name.strip() for name in (found["kinds"] or "").split(",") if name.strip()]
    kinds = {name: kind_named(name) for name in names}
    unknown = [name for name, kind in kinds.items() if kind is None]
    wrong = ""
    if not names:
        wrong = "it names no kind: # syncbot: ignore[parameter-removed] why"
    elif unknown:
        wrong = f"no kind is called {unknown[0]}"
    elif not found["reason"].strip():
        wrong = "it gives no reason"
    known = frozenset(kind for kind in kinds.values() if kind is not None)
    return IgnoreComment(file, at, line, known, found["reason"].strip(), wrong)
