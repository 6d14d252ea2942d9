"""The lines of a difference that show a change, for where nobody reads all of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_MOST, _NEAR = 16, 2


def short_hunk(hunk: str, names: Collection[str]) -> str:
    """Return a difference, a long one cut to the changed lines with one of these names and what stands around
    them, else to its first lines."""
    lines = hunk.split("\n")
    if len(lines) <= _MOST:
        return hunk
    word = re.compile(
        "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names) if name) or r"(?!)"
    )
    hits = [n for n, line in enumerate(lines) if n > 1 and line[:1] in "+-" and word.search(line)]
    near = {n for hit in hits for n in range(hit - _NEAR, hit + _NEAR + 1) if 1 < n < len(lines)}
    kept = sorted(near)[: _MOST - 2] if near else list(range(2, _MOST))
    return "\n".join([*lines[:2], *_with_gaps(lines, kept)])


def _with_gaps(lines: Sequence[str], kept: Sequence[int]) -> list[str]:
    """The kept lines, with a head where lines are left out, unless a part begins there."""
    shown: list[str] = []
    for before, at in zip([1, *kept], kept, strict=False):
        if at != before + 1 and not lines[at].startswith("@@"):
            shown.append("@@ … @@")
        shown.append(lines[at])
    return shown
