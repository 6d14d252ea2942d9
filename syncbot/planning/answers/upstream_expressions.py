"""Attributes that are gone, and in whose place upstream's own code says something else altogether. Where the
guilty commit put one and the same constant in the place of every read of them, or one expression of the
object itself in the place of the very expression that ours says, ours says it too."""

from __future__ import annotations

import ast

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.kinds.attributes import AttributeContract
from syncbot.impact.model import Impact, Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.answers.upstream_readers import pairs_of, same_receiver
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.enclosing_function import Value
from syncbot.planning.model import Answer, Reply
from syncbot.planning.planning_context import PlanningContext, UpstreamFunction
from syncbot.planning.syntax_file import SyntaxFile


@place_answerer(Phase.SUBSTITUTE, (ChangeKind.ATTRIBUTE_REMOVED,), "attribute")
def said_otherwise(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """Every read of the attribute as what stands in its place in upstream now; None where that is not one
    thing that means the same here."""
    name = impact.details.subject
    syntax, node = context.syntax(place.file), context.attribute_at(place, name)
    contracts = context.contracts_at(place, AttributeContract)
    contract = next((c for c in contracts if c.instance and c.name == name), None)
    if syntax is None or node is None or contract is None or not isinstance(node.ctx, ast.Load):
        return None
    value = _constant(impact, contract, node, context) or _of_the_object(impact, place, node, context)
    rule = _instead(syntax, place, node, value.text) if value is not None else None
    if value is None or rule is None:
        return None
    return Answer((rule,), value.needs)


def _constant(
    impact: Impact, contract: AttributeContract, node: ast.Attribute, context: PlanningContext
) -> Value | None:
    """The constant that every reader of that class has in its place, two of them at least."""
    found = [
        now
        for owner, _, (was, now) in pairs_of(impact, node.attr, context)
        if isinstance(was, ast.Attribute) and same_receiver(was.value, owner, node.value, contract, context)
    ]
    texts = {ast.unparse(n) for n in found}
    plain = len(found) > 1 and all(isinstance(n, ast.Constant) for n in found)
    return Value(texts.pop()) if plain and len(texts) == 1 else None


def _of_the_object(
    impact: Impact, place: Location, node: ast.Attribute, context: PlanningContext
) -> Value | None:
    """The expression of ``self`` that stands for the very same one in all methods of classes that ours
    derives from."""
    own = context.own_class(place.file, node)
    around = Surroundings(context, place.file, node)
    before = context.pair.old.resolve(own.name) if own is not None else None
    if before is None or not ast.unparse(node).startswith("self."):
        return None
    lineage = {c.name: c for c in context.pair.old.lineage(before).classes}
    values: list[Value | None] = []
    for owner, routine, (was, now) in pairs_of(impact, node.attr, context):
        if owner in lineage and ast.unparse(was) == ast.unparse(node):
            home = context.pair.now(owner)
            module = home.module if home is not None else lineage[owner].module
            values.append(around.means_the_same(now, UpstreamFunction(module, home, routine)))
    only = values[0] if values else None
    simple = only is not None and not only.statements and not only.imports
    return only if simple and all(v == only for v in values) else None


def _instead(syntax: SyntaxFile, place: Location, node: ast.Attribute, text: str) -> Rule | None:
    """The simple statement around an expression of one line with another text in its place."""
    statement = next((n for n in syntax.around(node) if isinstance(n, ast.stmt)), None)
    if statement is None or hasattr(statement, "body") or node.end_lineno != node.lineno:
        return None
    lines = syntax.source(statement).split("\n")
    indent = statement.col_offset
    at = node.lineno - statement.lineno
    start, end = node.col_offset - indent, (node.end_col_offset or 0) - indent
    if not lines[at].isascii() or lines[at][start:end] != ast.unparse(node):
        return None
    before = "\n".join(lines)
    lines[at] = lines[at][:start] + text + lines[at][end:]
    return ReplaceStatement(
        file=place.file, within=syntax.within(node), before=before, after="\n".join(lines)
    )
