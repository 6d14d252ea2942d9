"""Names for tuples that became data classes: what was a tuple here is made by the class."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.model import Attribute, Class
from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.call_changed import CallChanged
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.model import Answer, Author, Reply
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine, SyntaxFile


@answerer(Phase.SHAPE)
def made_by_the_class(impact: Impact, context: PlanningContext) -> Reply:
    """Each list of them in a function that fills it with tuples, unpacks them and gives it back."""
    if impact.kind is not ChangeKind.RETURN_SHAPE_CHANGED or impact.contract:
        return None
    fields = _fields(context.pair.old.resolve(impact.symbol), context.pair.new.resolve(impact.symbol))
    if fields is None:
        return None
    rules: dict[Rule, None] = {}
    for place in impact.locations:
        found = _list_at(place, impact.symbol, fields, context)
        if found is None:
            return Author(f"not all that this function puts into its list of {impact.symbol} is a tuple")
        rules.update(dict.fromkeys(found))
    return Answer(tuple(rules))


def _fields(before: Symbol | None, after: Symbol | None) -> list[str] | None:
    """The first fields of the data class, that have the types of the tuple's elements; all others have
    defaults."""
    alias = before.nodes[0] if before is not None and len(before.nodes) == 1 else None
    made = after.class_ if after is not None else None
    if not isinstance(alias, Attribute) or not isinstance(made, Class) or made.bases:
        return None
    match ast.parse(alias.value or "0", mode="eval").body:
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=elements)):
            types = [ast.unparse(e) for e in elements]
        case _:
            return None
    fields = [a for a in made.attributes if a.annotation is not None and not a.origin]
    first, rest = fields[: len(types)], fields[len(types) :]
    plain = [ast.unparse(ast.parse(d, mode="eval").body) for d in made.decorators] == ["dataclass"]
    same = [f.annotation for f in first] == types and all(f.value is None for f in first)
    return [f.name for f in first] if plain and same and all(f.value is not None for f in rest) else None


def _list_at(place: Location, symbol: str, fields: list[str], context: PlanningContext) -> list[Rule] | None:
    """The rewrites of one list, if all that the function does with it is known."""
    syntax = context.syntax(place.file)
    nodes = every_node(syntax.tree) if syntax is not None else ()
    loop = next((n for n in nodes if isinstance(n, ast.For) and n.lineno == place.line), None)
    around = syntax.definitions(loop) if syntax is not None and loop is not None else []
    if syntax is None or not around or loop is None or not isinstance(loop.iter, ast.Name):
        return None
    routine, name = around[-1], loop.iter.id
    local = _annotated(routine, name, symbol, place.file, context) if isinstance(routine, Routine) else None
    if local is None:
        return None
    within = ".".join(d.name for d in around)
    rules: list[Rule] = []
    for node in [n for n in every_node(routine) if isinstance(n, ast.Name) and n.id == name]:
        use = _use(syntax, node, local, fields, place.file, within)
        if use is None:
            return None
        rules += use
    return rules


def _annotated(routine: Routine, name: str, symbol: str, path: str, context: PlanningContext) -> str | None:
    """The name of the class in the annotation of a list that is empty at first."""
    for node in every_node(routine):
        match node:
            case ast.AnnAssign(
                target=ast.Name(id=target),
                annotation=ast.Subscript(value=ast.Name(id="list"), slice=ast.Name(id=local)),
                value=ast.List(elts=[]),
            ) if target == name:
                found = context.pair.new.local(context.module(path), local)
                return local if found is not None and found.name == symbol else None
    return None


def _use(
    syntax: SyntaxFile, node: ast.Name, local: str, fields: list[str], path: str, within: str
) -> list[Rule] | None:
    """Return the rewrites for one use of the list; None for a use of an unknown form."""
    holder = syntax.parents[node]
    if isinstance(holder, ast.AnnAssign | ast.Return):
        return []
    if isinstance(holder, ast.For):
        parts = holder.target.elts if isinstance(holder.target, ast.Tuple) else []
        known = holder.iter is node and len(parts) == len(fields)
        return _unpacked(syntax, holder, fields, path, within) if known else None
    call = syntax.parents[holder]
    match call:
        case ast.Call(func=ast.Attribute(attr="append"), args=[ast.Tuple(elts=values)], keywords=[]):
            if call.func is not holder or len(values) != len(fields):
                return None
            if any(isinstance(v, ast.Starred) for v in values):
                return None
            made = f"{local}({', '.join(map(ast.unparse, values))})"
            after = f"{ast.unparse(call.func)}({made})"
            return [CallChanged(file=path, within=within, before=ast.unparse(call), after=after)]
    return None


def _unpacked(
    syntax: SyntaxFile, loop: ast.For, fields: list[str], path: str, within: str
) -> list[Rule] | None:
    lines = syntax.source(loop).split("\n")
    start, end = loop.iter.col_offset - loop.col_offset, (loop.iter.end_col_offset or 0) - loop.col_offset
    text = ast.unparse(loop.iter)
    if loop.iter.lineno != loop.lineno or not lines[0].isascii() or lines[0][start:end] != text:
        return None
    before = "\n".join(lines)
    each = f"(({', '.join(f'each.{f}' for f in fields)}) for each in {text})"
    lines[0] = lines[0][:start] + each + lines[0][end:]
    return [ReplaceStatement(file=path, within=within, before=before, after="\n".join(lines))]
