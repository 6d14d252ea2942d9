"""Statements copied from the upstream method that is overridden: changed as upstream changed its own. What
upstream did to a statement is only taken over where the old text is the same here and there, where it became
exactly one other statement, and where every name that is new in it means the same in both."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher

from syncbot.api.every_node import children, every_node
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.enclosing_function import Value
from syncbot.planning.function_facts import names, parameters
from syncbot.planning.model import Answer, Author, Reply, at_each_place
from syncbot.planning.planning_context import PlanningContext, UpstreamFunction
from syncbot.planning.syntax_file import Routine, SyntaxFile

_CONTRACTS = ("attribute", "call", "loose-name", "result", "")
_ALIKE = 0.5


@answerer(Phase.COPY)
def followed(impact: Impact, context: PlanningContext) -> Reply:
    """Each statement that the impact names, as it stands in upstream's own method now."""
    if impact.contract not in _CONTRACTS:
        return None
    return at_each_place(impact, lambda place: _at(place, context))


def _at(place: Location, context: PlanningContext) -> Reply:
    syntax = context.syntax(place.file)
    statement = _statement(syntax, place) if syntax is not None else None
    if syntax is None or statement is None:
        return None
    around = Surroundings(context, place.file, statement)
    if around.old is None or around.new is None:
        return None
    whole = _whole(statement, around)
    if whole is not None:
        return whole
    now = _became(statement, around.old.node, around.new.node)
    if isinstance(now, Author):
        return now
    known = {n.id for n in names(statement)}
    values = _meaning(now, known, around, around.new)
    along = around.rules(values) if values is not None else None
    if values is None or along is None:
        return Author(
            f"upstream has {ast.unparse(now)[:70]!r} in its place now, which may mean something else here"
        )
    before = syntax.source(statement)
    rule = ReplaceStatement(file=place.file, within=around.within, before=before, after=ast.unparse(now))
    return Answer((*along, rule), tuple(dict.fromkeys(need for value in values for need in value.needs)))


def _whole(statement: ast.stmt, around: Surroundings) -> Answer | None:
    """Several statements in a row that upstream replaced as a whole, where ours has all of them in a row. The
    variables that they made, and no longer make, are read by nothing else of ours, and those that they make
    now are nothing of ours."""
    for mine, now in _replaced_blocks(around):
        if len(mine) > 1 and any(n is statement for n in mine):
            return _instead(mine, now, around)
    return None


def block_with(statement: ast.stmt, around: Surroundings) -> Answer | None:
    """The statements that upstream has now in the place of those of ours, if this one is among them; None
    where ours has not the very same ones."""
    for mine, now in _replaced_blocks(around):
        if any(n is statement for n in now):
            return _instead(mine, now, around)
    return None


def _replaced_blocks(around: Surroundings) -> Iterator[tuple[list[ast.stmt], list[ast.stmt]]]:
    """Statements of ours that upstream had too and replaced, with what it has now; all of them in a row."""
    if around.routine is None or around.old is None or around.new is None:
        return
    routines = (around.routine, around.old.node, around.new.node)
    lists = [list(_flat(r)) for r in routines]
    mine, was, now = ([ast.unparse(n) for n in nodes] for nodes in lists)
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        starts = [k for k in range(len(mine)) if mine[k : k + i2 - i1] == was[i1:i2]]
        if kind != "replace" or len(starts) != 1:
            continue
        blocks = [lists[0][starts[0] : starts[0] + i2 - i1], lists[1][i1:i2], lists[2][j1:j2]]
        if all(_in_a_row(block, r) for block, r in zip(blocks, routines, strict=True)):
            yield blocks[0], blocks[2]


def _in_a_row(block: list[ast.stmt], routine: Routine) -> bool:
    """Whether statements stand beside each other, in one body."""
    for node in every_node(routine):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and block[0] in body:
                at = body.index(block[0])
                return body[at : at + len(block)] == block
    return False


def _instead(mine: list[ast.stmt], now: list[ast.stmt], around: Surroundings) -> Answer | None:
    made, makes = _names_set(mine), _names_set(now)
    assert around.routine is not None
    assert around.new is not None
    inside = {id(n) for s in mine for n in every_node(s)}
    others = {n.id for n in names(around.routine) if id(n) not in inside}
    if (made - makes) & others or (makes - made) & {*others, *parameters(around.routine)}:
        return None
    known = {n.id for s in mine for n in names(s)} | makes
    values: list[Value] = []
    for statement in now:
        found = _meaning(statement, known, around, around.new)
        if found is None:
            return None
        values += found
    along = around.rules(values)
    if along is None:
        return None
    before = "\n".join(around.syntax.source(s) for s in mine)
    after = "\n".join(map(ast.unparse, now))
    rule = ReplaceStatement(file=around.path, within=around.within, before=before, after=after)
    return Answer((*along, rule), tuple(dict.fromkeys(need for value in values for need in value.needs)))


def _names_set(statements: list[ast.stmt]) -> set[str]:
    return {n.id for s in statements for n in names(s) if isinstance(n.ctx, ast.Store)}


def _statement(syntax: SyntaxFile, place: Location) -> ast.stmt | None:
    """The simple statement at a place, if it has its lines for itself."""
    found = [
        node
        for node in every_node(syntax.tree)
        if _is_simple(node) and isinstance(node, ast.stmt)
        and node.lineno <= place.line <= (node.end_lineno or 0)
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def _became(statement: ast.stmt, old: Routine, new: Routine) -> ast.stmt | Author:
    """Return upstream's new form of a statement in its old function; an Author where that is not clear."""
    before, after = list(_flat(old)), list(_flat(new))
    was, now = [ast.unparse(n) for n in before], [ast.unparse(n) for n in after]
    text = ast.unparse(statement)
    if was.count(text) != 1:
        return Author("upstream's own method has no such statement to follow")
    at = was.index(text)
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if not i1 <= at < i2:
            continue
        if kind == "replace":
            ratio, best = max((_ratio(text, now[j]), j) for j in range(j1, j2))
            rival = max((_ratio(was[i], now[best]) for i in range(i1, i2) if i != at), default=0.0)
            if ratio >= _ALIKE and rival < ratio and type(after[best]) is type(statement):
                return after[best]
        return Author("upstream's own method changed more than this statement")
    return Author("upstream's own method has no such statement to follow")


def rewritten_there(place: Location, context: PlanningContext) -> bool:
    """Whether the statement at a place was copied from upstream's own method, which has another one like it
    there now: what upstream does is done differently."""
    syntax = context.syntax(place.file)
    statement = _statement(syntax, place) if syntax is not None else None
    around = Surroundings(context, place.file, statement) if statement is not None else None
    if around is None or statement is None or around.old is None or around.new is None:
        return False
    was, now = ([ast.unparse(n) for n in _flat(f.node)] for f in (around.old, around.new))
    text = ast.unparse(statement)
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "replace" and text in was[i1:i2]:
            return any(_ratio(text, n) >= _ALIKE for n in now[j1:j2])
    return False


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _flat(routine: Routine) -> Iterator[ast.stmt]:
    """The simple statements of a function, in order."""
    stack: list[ast.AST] = list(reversed(routine.body))
    while stack:
        node = stack.pop()
        if _is_simple(node) and isinstance(node, ast.stmt):
            yield node
        elif not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
            stack.extend(reversed(children(node)))


def _is_simple(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return | ast.Assert)


def _meaning(
    statement: ast.stmt, known: set[str], around: Surroundings, function: UpstreamFunction
) -> list[Value] | None:
    """Return the values for the new names in an upstream statement, None where one has another meaning."""
    values: list[Value] = []
    if not all(around.same_type(name, function.node) for name in known & set(parameters(function.node))):
        return None
    for node in every_node(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in known:
            return None
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if not around.has(node, function):
                return None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
            value = around.means_the_same(node, function)
            if value is None or value.text != node.id:
                return None
            values.append(value)
    for prepared in around.prepared(statement, function):
        if prepared is None:
            return None
        values.append(replace(prepared, statements=(*prepared.statements, prepared.text)))
    return values
