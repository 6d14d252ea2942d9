"""Which calls in a module call its own functions that leave out types of parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import cast

from syncbot.api.every_node import children
from syncbot.api.expressions import FunctionNode, named_arguments
from syncbot.api.statement_lines import StatementLines, hollow
from syncbot.contracts.sources import SourceFile

#: A function that is called from more places is asked about no more.
MOST_CALLS = 12
_FUNCTIONS = {ast.FunctionDef, ast.AsyncFunctionDef}
# Below these stands no call, or none of the function around.
_APART = {ast.Name, ast.Constant, ast.ClassDef, *_FUNCTIONS}


@dataclass(frozen=True, slots=True)
class OwnCall:
    """A call of a function of the backend's own, with the classes and functions around it, the outermost
    first, and the ``file`` that it stands in where that is another module's."""

    call: ast.Call
    around: tuple[ast.ClassDef | FunctionNode, ...]
    file: SourceFile | None = None

    def kept_in(self, file: SourceFile) -> OwnCall:
        """The same call in a file, with nothing more around it than it takes to ask what is passed."""
        around = (hollow(node) if isinstance(node, ast.ClassDef) else node for node in self.around)
        return OwnCall(self.call, tuple(around), file)

    def said(self, lines: StatementLines) -> Iterator[bytes]:
        """Yield what the text says, which has these lines, of the call and of all that is around it."""
        yield ast.dump(self.call).encode()
        for node in self.around:
            if isinstance(node, FunctionNode):
                yield from (node.name.encode() for node in self.around)
                yield from lines.of(node)
                return
            yield ast.dump(hollow(node)).encode()


def calls_in_module(tree: ast.Module) -> Mapping[str, Sequence[OwnCall]]:
    """The calls of the functions of a module (``f(x)``), of methods by their own class (``self.m(x)``) and of
    constructors of its classes (``C(x)``, and as :func:`constructs_base` sees them), by ``f``, ``C.m`` and
    ``C.__init__``; none where each parameter has its type."""
    wanted = set(without_types(tree))
    found: dict[str, list[OwnCall]] = {}
    for one in calls_in_functions(tree) if wanted else ():
        called = _called(one.call, one.around)
        name = called if called in wanted else f"{called}.__init__"
        if name in wanted:
            found.setdefault(name, []).append(one)
        elif (above := constructs_base(one)) is not None and isinstance(above[0], ast.Name):
            name = f"{above[0].id}.__init__"
            if name in wanted:
                found.setdefault(name, []).append(above[1])
    return {name: calls for name, calls in found.items() if len(calls) <= MOST_CALLS}


def calls_in_functions(tree: ast.Module) -> Iterator[OwnCall]:
    """The calls in the functions of a module, and in those inside them."""
    waiting = list(_outer_functions(tree))
    while waiting:
        around = waiting.pop()
        for inner in _parts(around[-1]):
            if isinstance(inner, ast.Call):
                yield OwnCall(inner, around)
            else:
                waiting.append((*around, inner))


def constructs_base(one: OwnCall) -> tuple[ast.expr, OwnCall] | None:
    """The class that a call constructs as the base of another one, and the call without what stands for the
    object: ``super().__init__(x)`` in a class with one base, and ``C.__init__(self, x)``."""
    call, class_ = one.call, one.around[0]
    if not isinstance(class_, ast.ClassDef):
        return None
    match call.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr="__init__"):
            return (class_.bases[0], one) if len(class_.bases) == 1 else None
        case ast.Attribute(value=base, attr="__init__") if call.args:
            further = ast.copy_location(ast.Call(call.func, call.args[1:], call.keywords), call)
            return base, OwnCall(further, one.around, one.file)
    return None


def bare_parameters(node: FunctionNode) -> list[str]:
    """The parameters of a function that have no type."""
    return [a.arg for a in named_arguments(node.args) if a.annotation is None]


def passed(call: ast.Call, parameters: ast.arguments, bound: bool) -> Mapping[str, ast.expr]:
    """The parameters that a call is seen to fill, each with what it passes: none of those that ``*`` and
    ``**`` may fill; ``bound``: the first one is filled."""
    places = [a.arg for a in (*parameters.posonlyargs, *parameters.args)][bound:]
    seen = takewhile(lambda a: not isinstance(a, ast.Starred), call.args)
    return {**dict(zip(places, seen, strict=False)), **{k.arg: k.value for k in call.keywords if k.arg}}


def without_types(tree: ast.Module) -> Iterator[str]:
    """The functions and methods of a module that leave out the type of a parameter."""
    for node in tree.body:
        if isinstance(node, FunctionNode) and bare_parameters(node):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            methods = (inner for inner in node.body if isinstance(inner, FunctionNode))
            yield from (f"{node.name}.{m.name}" for m in methods if len(bare_parameters(m)) > 1)


def _outer_functions(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | FunctionNode, ...]]:
    """The functions of a module that stand in no other one, each as the last of what is around its body."""
    stack: list[tuple[ast.AST, tuple[ast.ClassDef, ...]]] = [(tree, ())]
    while stack:
        at, outer = stack.pop()
        for child in children(at):
            if isinstance(child, FunctionNode):
                yield (*outer, child)
            elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                stack.append((child, (*outer, child) if isinstance(child, ast.ClassDef) else outer))


def _parts(function: ast.AST) -> Iterator[ast.Call | FunctionNode]:
    """The calls in a function, and the functions inside it."""
    stack = [function]
    while stack:
        for child in children(stack.pop()):
            kind = child.__class__
            if kind is ast.Call or kind in _FUNCTIONS:
                yield cast("ast.Call | FunctionNode", child)
            if kind not in _APART:
                stack.append(child)


def _called(call: ast.Call, around: Sequence[ast.ClassDef | FunctionNode]) -> str:
    """Return what a call calls, as :func:`calls_in_module` names it; from a class inside another one
    nothing."""
    first, method = around[0], around[1] if len(around) > 1 else None
    if isinstance(method, ast.ClassDef):
        return ""
    match call.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=receiver), attr=attr) if (
            isinstance(first, ast.ClassDef) and isinstance(method, FunctionNode) and len(around) == 2
        ):
            parameters = [*method.args.posonlyargs, *method.args.args]
            return f"{first.name}.{attr}" if parameters and parameters[0].arg == receiver else ""
    return ""
