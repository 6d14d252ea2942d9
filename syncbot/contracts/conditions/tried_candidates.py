"""Names in strings that code tries one after the other: where one is gone, it goes on with the next."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.contracts.conditions.caught_errors import catches_attribute_error

#: Functions that say whether there is a module of a name.
QUESTIONS = ("find_spec", "find_loader")
# What a name that is gone raises where it is imported.
_ERRORS = ("ImportError", "ModuleNotFoundError", "AttributeError")


def is_candidate(node: ast.Constant, parents: Sequence[ast.AST], tree: ast.Module) -> bool:
    """Whether a string is one of several that a loop of the module tries, or asks for, each in turn; or
    whether the error that it leads to is caught where it stands, and the code goes on."""
    if catches_attribute_error(parents, node, _ERRORS):
        return True
    around = parents[-1] if parents else None
    if not isinstance(around, ast.Tuple | ast.List | ast.Set):
        return False
    name = _name_given(parents[-2]) if len(parents) > 1 else None
    at = (around.lineno, around.col_offset)
    return any(
        goes_on and (each.id == name if isinstance(each, ast.Name) else (each.lineno, each.col_offset) == at)
        for each, goes_on in _loops(tree)
    )


def _name_given(statement: ast.AST) -> str | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None


def _loops(scope: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what the loops of a scope run over, and whether they go on where one of it is not there."""
    for node in every_node(scope):
        if isinstance(node, ast.For):
            parts = [inner for statement in node.body for inner in every_node(statement)]
            tried = any(isinstance(n, ast.Try) and any(map(_goes_on, n.handlers)) for n in parts)
            yield node.iter, tried or any(map(_asks, parts))
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            for generator in node.generators:
                tests = [inner for test in generator.ifs for inner in every_node(test)]
                yield generator.iter, any(map(_asks, tests))


def _asks(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] in QUESTIONS


def _goes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is for a name that is not there, and leaves the loop to the next one."""
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {(dotted(t) or "").rpartition(".")[2] if t is not None else "Exception" for t in types}
    leaves = any(isinstance(n, ast.Raise) for s in handler.body for n in every_node(s))
    return not leaves and not names.isdisjoint({*_ERRORS, "Exception", "BaseException"})
