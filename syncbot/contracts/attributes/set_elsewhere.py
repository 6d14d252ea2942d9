"""Attributes that methods of the backend set on upstream's objects, always when they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.contracts.attributes.closed_classes import refuses
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.inference.named_values import in_method


def own_setter(name: str, class_: Symbol, pair: Comparison) -> str | None:
    """A method of the backend that gives an attribute to an object of a class under no condition, and has not
    read it until then; None where there is none, or where the objects refuse it."""
    modules = pair.own_tree.mentioning(pair.own_tree.modules, f".{name} =")
    if not modules or refuses(pair.new, class_, name) is not None:
        return None
    kin = {c.name for c in pair.new.lineage(class_).classes}
    for module in (m for m in modules if m not in pair.tests):
        pair.own_tree.note((module,))
        for scope, receiver in _setters(pair.own_tree.source(module) or b"", name):
            value = in_method(pair.in_new, module, scope, receiver)
            if value is not None and value.instance and value.symbol.name in kin:
                return f"{module}.{scope}"
    return None


@remembered(2048)
def _setters(source: bytes, name: str) -> tuple[tuple[str, str], ...]:
    """The methods of a text that set an attribute of that name, each with what they set it on."""
    tree = parsed(source)
    classes = (
        [node for node in every_node(tree) if isinstance(node, ast.ClassDef)] if tree is not None else []
    )
    return tuple(
        (f"{class_.name}.{method.name}", receiver)
        for class_ in classes
        for method in class_.body
        if isinstance(method, FunctionNode)
        for receiver in _set_in(method, name)
    )


def _set_in(method: FunctionNode, name: str) -> Iterator[str]:
    for statement in method.body:
        match statement:
            case ast.Assign(targets=targets, value=value) if not _reads(value, name):
                for target in targets:
                    if isinstance(target, ast.Attribute) and target.attr == name:
                        # What the class sets on its own objects is seen as its own.
                        yield from (owner for owner in (dotted(target.value),) if owner not in (None, "self"))
        if _reads(statement, name):
            return


def _reads(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Load)
        for n in every_node(node)
    )
