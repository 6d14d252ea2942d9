"""Tables of functions and classes that a module or a class writes out once and changes nowhere:
``KINDS = {"a": A, "b": B}``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import parsed
from syncbot.contracts.inference.declared_types import looped

#: Larger tables are data.
_MOST = 64
_READING = {"get", "items", "keys", "values", "copy", "index", "count"}
_HARMLESS = {"len", "sorted", "list", "tuple", "set", "dict", "enumerate", "iter", "zip", "reversed", "str"}
_Held = ast.Name | ast.Attribute


@remembered(256)
def tables_in(source: bytes) -> Mapping[str, ast.expr]:
    """The tables of a module, by ``NAME`` or ``Class.name``; none whose name the module uses for anything but
    to look into it."""
    tree = parsed(source)
    found = dict(_begun(tree)) if tree is not None else {}
    if tree is None or not found:
        return {}
    last = {name.rpartition(".")[2] for name in found}
    changed = _changed(tree, last, {id(target) for target, _ in found.values()})
    several = [name.rpartition(".")[2] for name in found]
    return {
        name: table
        for name, (_, table) in found.items()
        if (short := name.rpartition(".")[2]) not in changed and several.count(short) == 1
    }


@dataclass(frozen=True, slots=True)
class Looking:
    """An expression that looks into a ``table``: under a key, or at ``each`` of its elements in a loop, of a
    dictionary at its ``values``; where it takes elements apart, the one at a ``place`` of each."""

    table: ast.expr
    key: ast.expr | None = None
    each: bool = False
    values: bool = True
    place: int | None = None


def held_under(table: ast.expr, looking: Looking) -> list[ast.expr]:
    """Return what an expression may be that looks into a table which is written out so."""
    match table, looking.key:
        case ast.Dict(keys=keys, values=values), ast.Constant(value=wanted):
            named = [v for k, v in zip(keys, values, strict=True) if _is(k, wanted)]
            return named[-1:] if named and None not in keys else values
        case ast.Dict(values=values), _:
            return values if looking.values else []
        case ((ast.List(elts=elements) | ast.Tuple(elts=elements)), ast.Constant(value=int(place))):
            return [elements[place]] if place < len(elements) else []
    elements = table.elts if isinstance(table, ast.List | ast.Tuple | ast.Set) else []
    if looking.place is None:
        return elements
    apart = [e.elts for e in elements if isinstance(e, ast.Tuple) and len(e.elts) > looking.place]
    return [parts[looking.place] for parts in apart] if len(apart) == len(elements) else []


def looked_up(node: ast.expr) -> Looking | None:
    """The look into a table that an expression is; None where it is none."""
    match node:
        case ast.Subscript(value=ast.Call() as step, slice=ast.Constant(value=int(place))) if (
            several := looped(step)
        ) is not None:
            return _part_of_each(several, place)
        case ast.Subscript(slice=ast.Slice()):
            return None
        case ast.Subscript(value=table, slice=key):
            return Looking(table, key)
        case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[key]):
            return Looking(table, key)
        case ast.Call() if (several := looped(node)) is not None:
            match several:
                case ast.Call(func=ast.Attribute(value=table, attr="values"), args=[], keywords=[]):
                    return Looking(table, each=True)
            return Looking(several, each=True, values=False)
    return None


def _part_of_each(several: ast.expr, place: int) -> Looking | None:
    """A part of each element of what is iterated over."""
    match several:
        case ast.Call(func=ast.Attribute(value=table, attr="items"), args=[], keywords=[]):
            return Looking(table, each=True) if place == 1 else None
        case ast.Call(func=ast.Name(id="enumerate"), args=[table, *_]):
            return Looking(table, each=True, values=False) if place == 1 else None
        case ast.Name() | ast.Attribute() | ast.List() | ast.Tuple():
            return Looking(several, each=True, values=False, place=place)
    return None


def _is(key: ast.expr | None, wanted: object) -> bool:
    return isinstance(key, ast.Constant) and type(key.value) is type(wanted) and key.value == wanted


def _begun(tree: ast.Module) -> Iterator[tuple[str, tuple[ast.expr, ast.expr]]]:
    """The tables that a module, its classes and their methods write out, each with its target."""
    for node in tree.body:
        yield from _one(node, "")
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            yield from _one(inner, f"{node.name}." if isinstance(node, ast.ClassDef) else "")
            for statement in inner.body if isinstance(inner, FunctionNode) else ():
                yield from _one(statement, f"{node.name}." if isinstance(node, ast.ClassDef) else "", True)


def _one(
    node: ast.stmt, owner: str, in_method: bool = False
) -> Iterator[tuple[str, tuple[ast.expr, ast.expr]]]:
    match node:
        case (
            ast.Assign(targets=[target], value=table)
            | ast.AnnAssign(target=target, value=ast.expr() as table)
        ):
            pass
        case _:
            return
    match target:
        case ast.Name(id=name) if not in_method:
            pass
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if in_method:
            pass
        case _:
            return
    if isinstance(table, ast.Dict | ast.List | ast.Tuple | ast.Set):
        held = table.values if isinstance(table, ast.Dict) else table.elts
        if 0 < len(held) <= _MOST and any(map(_holds, held)):
            yield f"{owner}{name}", (target, table)


def _holds(value: ast.expr) -> bool:
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return any(isinstance(part, _Held) for part in parts)


def _changed(tree: ast.Module, names: set[str], begun: set[int]) -> set[str]:
    """Those names that a module gives another value, or with which it does what may change a table."""
    found: set[str] = set()
    for parent in every_node(tree):
        for node in children(parent):
            name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
            if name not in names or not isinstance(node, _Held) or id(node) in begun:
                continue
            if not isinstance(node.ctx, ast.Load) or not _only_looks(node, parent):
                found.add(name)
    return found


def _only_looks(node: ast.AST, parent: ast.AST) -> bool:
    """Whether what a table stands in leaves it as it is."""
    match parent:
        case ast.Subscript(ctx=context):
            return isinstance(context, ast.Load)
        case ast.Attribute(attr=attr):
            return attr in _READING
        case ast.Call(func=ast.Name(id=name)):
            return name in _HARMLESS
    return isinstance(parent, ast.Compare | ast.For | ast.comprehension | ast.Starred | ast.FormattedValue)
