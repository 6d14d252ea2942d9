"""Names that a function of the backend imports itself, as late as that: what it returns, and what annotations
in it name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.annotated_classes import named_class
from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.function_results import body_facts
from syncbot.api.model import Function
from syncbot.api.statement_parts import imported
from syncbot.api.universe import Universe
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.inference.values import Scope, Value


@dataclass(frozen=True, slots=True)
class ImportedResult:
    """The one expression that a function returns; it begins with a name for what is ``imported``."""

    expression: ast.expr
    name: str
    imported: str


def imported_result(universe: Universe, module: str, function: Function, owner: str) -> ImportedResult | None:
    """Return what a function of the backend returns which its table does not tell; None where it returns
    several, or may give the name another meaning."""
    shapes = set(function.returned) - {"none"}
    if function.result or function.annotation is not None or len(shapes) != 1 or function.is_generator:
        return None
    if not universe.is_followed(module) or not next(iter(shapes)).startswith(("value", "call ")):
        return None
    node = function_node(universe, module, function, owner)
    returned = _returned(node) if node is not None else None
    if node is None or returned is None:
        return None
    name = ast.unparse(returned).partition("(")[0].partition(".")[0]
    sources = list(imported_within(universe, module, node, name))
    if len(set(sources)) != 1 or len(body_facts(node.body).bound.get(name, ())) != len(sources):
        return None
    return ImportedResult(returned, name, sources[0])


def annotated_locally(universe: Universe, scope: Scope, annotation: str) -> Value | None:
    """An object of the class that an annotation names, where the function or one around it imports that."""
    at: Scope | None = scope
    while at is not None and not at.imports:
        at = at.parent
    name = named_class(annotation) if at is not None else None
    head, dot, rest = (name or "").partition(".")
    while at is not None:
        if head in at.imports:
            found = universe.resolve(f"{at.imports[head]}{dot}{rest}")
            return Value(found, instance=True) if found is not None and found.kind == "class" else None
        at = at.parent
    return None


def _returned(node: FunctionNode) -> ast.expr | None:
    """The name, attribute or call of one that all return statements give which give something."""
    facts = body_facts(node.body)
    bound = {name: values[0] for name, values in facts.bound.items() if len(values) == 1}
    followed = [bound.get(v.id) or v if isinstance(v, ast.Name) else v for v in facts.values]
    values = [v for v in followed if v is not None]
    given = {ast.dump(v): v for v in values if not (isinstance(v, ast.Constant) and v.value is None)}
    one = next(iter(given.values())) if len(given) == 1 else None
    named = one.func if isinstance(one, ast.Call) else one
    return one if named is not None and dotted(named) is not None else None


def imported_within(universe: Universe, module: str, node: ast.AST, name: str) -> Iterator[str]:
    """The dotted names that imports in a function, or anywhere in a module, bind a name to."""
    tree = universe.tree_of(module)
    for inner in every_node(node) if tree is not None else ():
        if isinstance(inner, ast.Import | ast.ImportFrom) and tree is not None:
            for bound in imported(inner, ""):
                if bound.local == name:
                    base = tree.absolute(module, bound.level, bound.module)
                    whole = name if bound.module.partition(".")[0] == name else bound.module
                    yield f"{base}.{bound.name}" if bound.name is not None else whole
