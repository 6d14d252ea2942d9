"""Which class an annotation names, told from its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache


@lru_cache(maxsize=65536)
def named_class(annotation: str) -> str | None:
    """The one dotted name in an annotation, Optional and quotes looked through; None for none or several."""
    names = named_classes(annotation)
    return names[0] if len(names) == 1 and names[0] != "?" else None


@lru_cache(maxsize=4096)
def named_classes(annotation: str) -> tuple[str, ...]:
    """The names in an annotation that a value may be of, each once, ``?`` for what is no name; None is left
    out."""
    try:
        node = ast.parse(annotation.strip(), mode="eval").body
        return tuple(dict.fromkeys(n for n in _alternatives(node) if n not in ("None", "NoneType")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _alternatives(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(inner)):
            try:
                yield from _alternatives(ast.parse(inner.strip(), mode="eval").body)
            except (SyntaxError, ValueError):
                yield "?"
        case ast.Constant(value=None):
            yield "None"
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _alternatives(left)
            yield from _alternatives(right)
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            yield from _alternatives(inner)
            yield "None"
        case ast.Subscript(
            value=ast.Name(id="Final" | "ClassVar" | "Annotated" | "Required" | "NotRequired"), slice=inner
        ):
            yield from _alternatives(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
        case ast.Subscript(value=ast.Name(id="Union") | ast.Attribute(attr="Union"), slice=ast.Tuple(elts=e)):
            for part in e:
                yield from _alternatives(part)
        case ast.Subscript(value=value):
            yield from _alternatives(value)
        case ast.Name() | ast.Attribute():
            yield ast.unparse(node)
        case _:
            yield "?"
