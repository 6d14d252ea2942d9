"""How two annotations of the same thing differ, told from their text."""

from __future__ import annotations

import ast
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted, expression, string
from syncbot.api.local_classes import as_written

_FORMER_NAMES = {"List", "Tuple", "Dict", "Set", "FrozenSet", "Type"}
_UNKNOWN = {"Any", "object", "Self", "TypeAlias"}
_WRAPPERS = {"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "SkipValidation"}
# What is one, too (https://docs.python.org/3/library/collections.abc.html).
_COLLECTIONS = {"Sequence", "Mapping", "list", "tuple", "dict", "set"}
_KINDS = {
    "Iterable": {"Iterator", "Generator", "Collection", *_COLLECTIONS},
    "Iterator": {"Generator"},
    "Collection": _COLLECTIONS,
    "Sequence": {"list", "tuple", "str"},
    "Mapping": {"dict"},
}


def builtin_name(name: str) -> str:
    """Today's name of a built-in type that :mod:`typing` called otherwise, any other name as it is."""
    return name.lower() if name in _FORMER_NAMES else name


def part_of_tuple(old: str | None, new: str | None) -> int | None:
    """The place of what was annotated ``old`` in the tuple that it is now; None where it is in none."""
    was, now = expression((old or "").strip("'\"")), expression((new or "").strip("'\""))
    match now:
        case ast.Subscript(value=head, slice=ast.Tuple(elts=parts)) if was is not None:
            whole = builtin_name((dotted(head) or "").rpartition(".")[2])
            written, wanted = [ast.unparse(part) for part in parts], ast.unparse(was)
            known = whole == "tuple" and "..." not in written and wanted not in {"None", *_UNKNOWN}
            return written.index(wanted) if known and wanted in written else None
    return None


def other_type(old: str | None, new: str | None) -> str | None:
    """How a value annotated ``old``, now ``new``, may surprise its readers: ``type``, ``elements`` or
    ``None`` (it may be None now); None if it cannot, or nobody can tell. What ``old`` allowed is no
    surprise, nor is a name whose capitals changed: nobody has two classes that differ by them alone."""
    before, after = _alternatives(old), _alternatives(new)
    if before is None or after is None or not (come := _come(before, after)):
        return None
    if come == {"None"}:
        return "None"
    heads = {text.partition("[")[0] for text in before}
    heads |= {kind for head in heads for kind in _KINDS.get(head, ())}
    fresh = {text.partition("[")[0] for text in come - {"None"}} - heads
    if not fresh and heads & set(_KINDS):
        return None
    if not fresh:
        # `list` says no less than `list[int]`: nothing is known to have changed.
        detailed = all("[" in t and "Any" not in t for t in (come | (before - after)) - {"None"})
        return "elements" if detailed else None
    return "type" if not after - come - {"None"} else None


def _come(before: frozenset[str], after: frozenset[str]) -> set[str]:
    """The members that came, whatever their capitals."""
    known = {text.casefold() for text in before}
    return {text for text in after if text.casefold() not in known}


def only_head(text: str | None) -> str | None:
    """The one class that an annotation names beside None, without its brackets; None for several."""
    heads = {member.partition("[")[0] for member in _alternatives(text) or ()} - {"None"}
    return heads.pop() if len(heads) == 1 else None


@lru_cache(4096)
def named(text: str | None) -> frozenset[str]:
    """The first parts of the names in an annotation, those in quotes too."""
    tree = expression(text or "")
    nodes = list(every_node(tree)) if tree is not None else []
    quoted = filter(None, map(string, nodes))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name)).union(*map(named, quoted))


@lru_cache(4096)
def _alternatives(text: str | None) -> frozenset[str] | None:
    """The members of the union that an annotation is, each written in one way; None where it says nothing."""
    if text is None:
        return None
    try:
        node = ast.parse(text, mode="eval").body
        members = frozenset(_members(node))
    except (SyntaxError, ValueError, RecursionError):
        return None
    heads = {member.partition("[")[0] for member in members}
    if heads & _UNKNOWN or any(len(head) <= 2 for head in heads):
        return None
    return members


def _members(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _members(ast.parse(node.value, mode="eval").body)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _members(node.left) + _members(node.right)
    if isinstance(node, ast.Subscript):
        head = (dotted(node.value) or "").rpartition(".")[2]
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if head == "Optional":
            return [*_members(parts[0]), "None"]
        if head == "Union":
            return [member for part in parts for member in _members(part)]
        if head in _WRAPPERS:
            return _members(parts[0])
    return [_written(node)]


def _written(node: ast.expr) -> str:
    """One member of a union without modules and with today's names of the built-in types."""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        inside = ("|".join(sorted(_members(part))) for part in parts)
        return f"{_written(node.value)}[{','.join(inside)}]"
    if isinstance(node, ast.List):
        return f"({','.join('|'.join(sorted(_members(part))) for part in node.elts)})"
    name = (dotted(node) or ast.unparse(node)).rpartition(".")[2]
    return builtin_name(as_written(name))
