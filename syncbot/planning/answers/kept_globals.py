"""Functions and variables of upstream's modules that are gone, and that ours imports: kept in our file. A
function that only uses what is still there, and a variable that is made by one statement of such things, do
the same wherever they stand. Classes are not kept: others test for them."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.kinds.imports import ImportContract
from syncbot.impact.model import Impact, Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.planning import kept_definitions
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.answers.upstream_importers import imports_gone
from syncbot.planning.function_facts import bound_times, every_parameter, with_names
from syncbot.planning.model import Answer, Author, Reply
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import SyntaxFile


@place_answerer(Phase.KEPT, (ChangeKind.SYMBOL_REMOVED, ChangeKind.MODULE_REMOVED), "import")
def kept_in_file(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """The definition in the place of its import, in each file that imports it."""
    gone = {c.symbol: c for c in imports_gone(impact, place, context)}
    rule = _instead(place, gone, context, impact.commit[:10])
    if rule is None:
        return Author(f"{impact.symbol} cannot be kept: it is no function, or uses what is gone too")
    return Answer((rule,))


def _instead(
    place: Location, gone: dict[str, ImportContract], context: PlanningContext, since: str
) -> Rule | None:
    """The import at a place without the names that are gone, and their definitions behind it."""
    syntax = context.syntax(place.file)
    statement = _import_at(place, context)
    if syntax is None or statement is None or not gone:
        return None
    lost = [a for a in statement.names if f"{statement.module}.{a.name}" in gone]
    definitions: list[str] = []
    for alias in lost:
        symbol = context.pair.old.resolve(f"{statement.module}.{alias.name}")
        local = alias.asname or alias.name
        code = _definition(context, symbol, local, syntax, since) if symbol is not None else None
        if code is None or _bound_again(syntax, local):
            return None
        definitions.append(code)
    if len(lost) < len(gone):
        return None
    rest = [a for a in statement.names if a not in lost]
    lines = [ast.unparse(ast.ImportFrom(statement.module, rest, 0))] if rest else []
    return ReplaceStatement(
        file=place.file, within=syntax.within(statement), before=syntax.source(statement),
        after="\n".join([*lines, *definitions]),
    )  # fmt: skip


def _import_at(place: Location, context: PlanningContext) -> ast.ImportFrom | None:
    """The one absolute from-import on the line of a place."""
    imports = [n for n in context.nodes(place.file) if isinstance(n, ast.ImportFrom)]
    found = [n for n in imports if n.lineno <= place.line <= (n.end_lineno or 0)]
    return found[0] if len(found) == 1 and not found[0].level else None


def _definition(
    context: PlanningContext, symbol: Symbol, local: str, syntax: SyntaxFile, since: str
) -> str | None:
    node = symbol.nodes[0] if len(symbol.nodes) == 1 else None
    if isinstance(node, Function) and not node.guards and not node.is_async:
        routine = context.upstream_node(context.pair.old, symbol.module, node)
        if routine is None:
            return None
        body, given = kept_definitions.body_of(routine), every_parameter(routine)
        imports = kept_definitions.imports_of(context, symbol.module, body, given=given)
        return kept_definitions.function_text(routine, imports, local, since) if imports is not None else None
    if isinstance(node, Attribute) and not node.guards:
        return _variable(context, symbol, local, syntax)
    return None


def _variable(context: PlanningContext, symbol: Symbol, local: str, syntax: SyntaxFile) -> str | None:
    """The statement that makes a variable, with its module's name where it asks for that."""
    tree = context.upstream_tree(context.pair.old, symbol.module)
    made = [
        n for n in (tree.body if tree is not None else ())
        if isinstance(n, ast.Assign) and [ast.unparse(t) for t in n.targets] == [symbol.qualname]
    ]  # fmt: skip
    # A constant may be agreed on with upstream, which has another one now.
    if len(made) != 1 or not isinstance(made[0].value, ast.Call):
        return None
    value = with_names(made[0].value, {"__name__": repr(symbol.module)})
    imports = kept_definitions.imports_of(context, symbol.module, ast.parse(value, mode="eval").body)
    if imports is None:
        return None
    said = {
        a.asname or a.name for n in every_node(syntax.tree) if isinstance(n, ast.ImportFrom) for a in n.names
    }
    written = {ast.unparse(n) for n in every_node(syntax.tree) if isinstance(n, ast.ImportFrom)}
    for line in imports:
        imported = ast.parse(line).body[0]
        assert isinstance(imported, ast.Import | ast.ImportFrom)
        bound = {a.asname or a.name for a in imported.names}
        if line not in written and (bound & said or any(_bound_again(syntax, b, 0) for b in bound)):
            return None
    return "\n".join([*imports, f"{local} = {value}"])


def _bound_again(syntax: SyntaxFile, name: str, times: int = 1) -> bool:
    """Whether a file binds a name more often than so many times."""
    arguments = sum(isinstance(n, ast.arg) and n.arg == name for n in every_node(syntax.tree))
    return bound_times(syntax.tree, name) + arguments > times
