"""Sentences made of plain words and of code, which each format shows in its own way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from syncbot.report.catalogue import Words
from syncbot.report.untrusted_text import one_line

# No text has these after one_line, so that what stands between them is code and nothing else.
_OPEN, _CLOSE = "\x02", "\x03"
_CUT = 120


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence: plain words, or code to be shown literally."""

    text: str
    code: bool = False


Line = tuple[Piece, ...]


def literal(text: str, cut: int = _CUT) -> str:
    """A value for :func:`line` that is code; a longer one is cut."""
    shown = one_line(text)
    shown = shown if len(shown) <= cut else f"{shown[: cut - 1]}…"
    return f"{_OPEN}{shown}{_CLOSE}"


def listed(items: Iterable[str], words: Words, limit: int = 6) -> str:
    """The first items, each made by :func:`literal`, and how many more there are."""
    every = list(items)
    shown = words("list_and").join(every[:limit])
    rest = len(every) - limit
    return f"{shown} {words.count('more', rest)}" if rest > 0 else shown


def line(text: str) -> Line:
    """A sentence with values of :func:`literal` in it, as pieces."""
    pieces = re.split(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}", text)
    return tuple(Piece(part, bool(n % 2)) for n, part in enumerate(pieces) if part)


def plain(pieces: Line) -> str:
    """A sentence as text, code between backticks."""
    return "".join(f"`{piece.text}`" if piece.code else piece.text for piece in pieces)
