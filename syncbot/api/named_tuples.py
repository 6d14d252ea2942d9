"""Named tuples that a call makes, as classes: ``collections.namedtuple``, ``typing.NamedTuple``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.expressions import dotted, string, text
from syncbot.api.model import Attribute, Class

#: What such a class derives from, whichever function made it: its fields are a constructor's parameters.
BASE = "typing.NamedTuple"
_UNTYPED = "object"


def named_tuple(name: str, value: ast.expr | None, guards: tuple[str, ...] = ()) -> Class | None:
    """The class that a call makes; None for another value, or where the fields are not all written there."""
    fields = fields_of(value)
    if fields is None or value is None:
        return None
    end = value.end_lineno or value.lineno
    return Class(name, value.lineno, end, bases=(BASE,), guards=guards, attributes=fields)


def fields_of(value: ast.expr | None) -> tuple[Attribute, ...] | None:
    """The fields that are given in a call of one of the functions; None for anything else."""
    if not isinstance(value, ast.Call) or len(value.args) != 2 or not isinstance(value.args[1], ast.expr):
        return None
    match (dotted(value.func) or "").rpartition(".")[2]:
        case "NamedTuple":
            fields = list(_typed(value.args[1]))
        case "namedtuple":
            fields = list(_plain(value.args[1]))
        case _:
            return None
    options = {keyword.arg: keyword.value for keyword in value.keywords}
    written = bool(fields) and all(n.isidentifier() for n, _ in fields)
    if not written or None in options or "rename" in options:
        return None
    defaults = options.get("defaults")
    if defaults is not None and not isinstance(defaults, ast.Tuple | ast.List):
        return None
    given: Sequence[ast.expr] = defaults.elts if defaults is not None else ()
    without = len(fields) - len(given)
    return tuple(
        Attribute(field, value.lineno, annotation, text(given[at - without]) if at >= without else None)
        for at, (field, annotation) in enumerate(fields)
    )


def _typed(fields: ast.expr) -> Iterator[tuple[str, str]]:
    pairs = fields.elts if isinstance(fields, ast.List | ast.Tuple) else ()
    for pair in pairs:
        match pair:
            case ast.Tuple(elts=[ast.Constant(value=str(name)), annotation]):
                yield name, text(annotation) or _UNTYPED
            case _:  # a field that is not written there
                yield "*", _UNTYPED


def _plain(fields: ast.expr) -> Iterator[tuple[str, str]]:
    if (words := string(fields)) is not None:
        yield from ((name, _UNTYPED) for name in words.replace(",", " ").split())
    elif isinstance(fields, ast.List | ast.Tuple):
        names = [string(field) for field in fields.elts]
        yield from ((name, _UNTYPED) for name in names if name is not None and None not in names)
