"""Functions of upstream that register an operator under a name that they are given."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, named_arguments
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import parsed
from syncbot.api.tree import look
from syncbot.api.universe import Universe
from syncbot.contracts.configured_facts import Registrar
from syncbot.contracts.operators.registrations import libraries


def inferred_registrars(universe: Universe, upstream: Sequence[str]) -> tuple[Registrar, ...]:
    """The functions of upstream packages that hand a name and a function on to a library of torch's: with
    that of a configuration, what it would say of each."""
    found: list[Registrar] = []
    for tree in universe.trees:
        if not any(tree.owns(package) for package in upstream):
            continue
        having = tree.mentioning(tree.mentioning(tree.modules, "Library("), ".define(")
        for module in tree.mentioning(having, ".impl("):
            for registrar in _in_text(tree.source(module) or b"", module):
                universe.replay((look(module, registrar.function.rpartition(".")[2]),))
                found.append(registrar)
    return tuple(found)


@remembered(64)
def _in_text(source: bytes, module: str) -> tuple[Registrar, ...]:
    tree = parsed(source)
    nodes = list(every_node(tree)) if tree is not None else []
    namespaces = dict.fromkeys(namespace for _, namespace in libraries(nodes))
    # Of several libraries nobody can tell which one is meant where none is given.
    if tree is None or len(namespaces) != 1:
        return ()
    functions = (node for node in tree.body if isinstance(node, FunctionNode))
    made = (_registrar(function, module, next(iter(namespaces))) for function in functions)
    return tuple(registrar for registrar in made if registrar is not None)


def _registrar(function: FunctionNode, module: str, namespace: str) -> Registrar | None:
    """Return what a function registers, if it defines one of its parameters and gives it another as its
    body."""
    taken = [argument.arg for argument in named_arguments(function.args)]
    defined, implemented = "", ""
    for node in every_node(function):
        match node:
            case ast.Call(func=ast.Attribute(attr="define"), args=[name, *_]):
                defined = _begins_with(name) or defined
            case ast.Call(func=ast.Attribute(attr="impl"), args=[_, ast.Name(id=body), *_]):
                implemented = body
    if defined not in taken or implemented not in taken:
        return None
    return Registrar(
        function=f"{module}.{function.name}",
        namespace=namespace,
        name=defined,
        implementation=implemented,
        name_position=taken.index(defined),
        implementation_position=taken.index(implemented),
    )


def _begins_with(text: ast.expr) -> str:
    """The name that a text begins with the value of: ``name``, ``name + …`` or ``f"{name}…"``."""
    match text:
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, op=ast.Add()):
            return _begins_with(left)
        case ast.JoinedStr(values=[ast.FormattedValue(value=ast.Name(id=name)), *_]):
            return name
    return ""
