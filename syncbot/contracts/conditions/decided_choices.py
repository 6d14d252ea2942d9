"""A text as it runs on one version: of each ``a if test else b`` that a test of the version decides, what is
chosen stands alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.syntax import parsed
from syncbot.contracts.conditions.turned_off_spans import At, Span, span_of


def decided(source: bytes, off: Sequence[Span]) -> bytes:
    """The text where what is ``off`` is chosen nowhere. Everything else keeps its line and column; where that
    would be no Python, the text stays as it is."""
    tree = parsed(source)
    if tree is None or not off:
        return source
    lines = source.splitlines(keepends=True)
    text = bytearray(source)
    for whole, chosen in _choices(tree, frozenset(off)):
        _leave(text, lines, whole, chosen)
    result = bytes(text)
    return result if result == source or parsed(result) is not None else source


def _choices(tree: ast.Module, off: frozenset[Span]) -> Iterator[tuple[Span, Span]]:
    """The choices that are decided, each with what is chosen; one in what is off is left out with it."""
    for node in every_node(tree):
        if isinstance(node, ast.IfExp):
            whole, body, other = span_of([node]), span_of([node.body]), span_of([node.orelse])
            inside = any(span.start <= whole.start and whole.end <= span.end for span in off)
            if not inside and (body in off) is not (other in off):
                yield whole, other if body in off else body


def _leave(text: bytearray, lines: Sequence[bytes], whole: Span, kept: Span) -> None:
    """Blank what is in a span but for another one, in brackets as far as there is room for them."""
    begin, end = _offset(lines, whole.start), _offset(lines, whole.end)
    first, last = _offset(lines, kept.start), _offset(lines, kept.end)
    for at in (*range(begin, first), *range(last, end)):
        if text[at] not in b"\r\n":
            text[at] = ord(" ")
    if begin < first and last < end:
        text[begin:begin + 1], text[end - 1:end] = b"(", b")"  # fmt: skip


def _offset(lines: Sequence[bytes], at: At) -> int:
    """The place in a text of a line and column; ``ast`` counts the columns in bytes of UTF-8."""
    return sum(map(len, lines[: at[0] - 1])) + at[1]
