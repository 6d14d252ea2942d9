"""Code under a test for a parameter: ``if "x" in inspect.signature(f).parameters``, also by way of a name
or of a function, and under one for their number: ``if len(inspect.signature(f).parameters) == 3``; or under
one for a field: ``if "x" in C.__dataclass_fields__``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, expression
from syncbot.api.signatures import Signature, constructor, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.inference.named_values import named_in
from syncbot.contracts.model import Place

_COLLECTIONS = ("set", "frozenset", "list", "tuple", "dict", "sorted")
_WORDS = (b"signature(", b"__dataclass_fields__")
_COMPARING: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
# A function, what is asked of its signature, and what the answer has to be.
_Question: TypeAlias = tuple[str, Callable[[Signature], bool], bool]


def lacks_parameter(place: Place, pair: Comparison) -> bool:
    """Whether a test around a place asks for a parameter, and what the new upstream takes says no."""
    source = pair.own_tree.source(place.module)
    if source is None or not any(word in source for word in _WORDS) or not place.guards:
        return False
    tree = parsed(source)
    around = list(_around(tree, place.location.line)) if tree is not None else []
    for guard in place.guards if around else ():
        kind, _, test = guard.partition(" ")
        for name, asked, wanted in _asked(expression(test), kind == "if", around) if kind != "try" else ():
            if _answer(name, asked, place, around, pair) is (not wanted):
                return True
    return False


def _around(tree: ast.Module, line: int) -> Iterator[ast.Module | FunctionNode]:
    """The functions around a line, the innermost first, and the module."""
    inside = [
        node
        for node in every_node(tree)
        if isinstance(node, FunctionNode) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    yield from sorted(inside, key=lambda node: -node.lineno)
    yield tree


_Scopes = Sequence[ast.Module | FunctionNode]


def _asked(node: ast.expr | None, holds: bool, around: _Scopes) -> list[_Question]:
    """Return what a condition asks of the parameters of functions."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asked(operand, not holds, around)
        case ast.BoolOp(op=kind, values=values) if isinstance(kind, ast.And) is holds:
            return [told for value in values for told in _asked(value, holds, around)]
        case ast.Compare(
            left=ast.Constant(value=str(asked)), ops=[ast.In() | ast.NotIn() as how], comparators=[held]
        ):
            function = _function_of(held, around)
            return [(function, partial(_has, asked), holds is isinstance(how, ast.In))] if function else []
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[held]),
            ops=[how],
            comparators=[ast.Constant(value=int(number))],
        ) if type(how) in _COMPARING:
            function = _function_of(held, around)
            return [(function, partial(_counts, _COMPARING[type(how)], number), holds)] if function else []
        case ast.Call(func=ast.Name(id=helper), args=[given, ast.Constant(value=str(asked))], keywords=[]):
            function = dotted(given) if _is_such_a_test(helper, around) else None
            return [(function, partial(_has, asked), holds)] if function else []
        case ast.Name(id=name):
            told = _given(name, around)
            return _asked(told, holds, around) if isinstance(told, ast.Compare | ast.BoolOp) else []
        case ast.Call(func=ast.Name(id=helper), args=[], keywords=[]):
            return _asked(_all_returned(helper, around), holds, around)
    return []


def _all_returned(helper: str, around: _Scopes) -> ast.expr | None:
    """The condition that a function of the module without parameters comes to, where it does nothing else."""
    for node in around[-1].body:
        if isinstance(node, FunctionNode) and node.name == helper and not ast.unparse(node.args):
            shown = node.body[1:] if ast.get_docstring(node) else node.body
            match shown:
                case [ast.Return(value=ast.Compare() as told)]:
                    return told
    return None


def _has(parameter: str, signature: Signature) -> bool:
    return signature.get(parameter) is not None


def _counts(compare: Callable[[int, int], bool], number: int, signature: Signature) -> bool:
    return compare(len(signature.parameters), number)


def _function_of(node: ast.expr, around: _Scopes, depth: int = 0) -> str | None:
    """The function whose parameters an expression holds, or whose signature it is."""
    match node:
        case ast.Name(id=name) if depth < 4:
            given = _given(name, around)
            return _function_of(given, around, depth + 1) if given is not None else None
        case ast.Attribute(value=inner, attr="parameters"):
            return _function_of(inner, around, depth)
        # A dataclass takes its fields.
        case ast.Attribute(value=inner, attr="__dataclass_fields__"):
            return dotted(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr="keys"), args=[]):
            return _function_of(inner, around, depth)
        case ast.Call(func=ast.Name(id=made), args=[inner]) if made in _COLLECTIONS:
            return _function_of(inner, around, depth)
        case ast.Call(func=called, args=[function]) if (dotted(called) or "").rpartition(".")[
            2
        ] == "signature":
            return dotted(function)
    return None


def _given(name: str, around: _Scopes) -> ast.expr | None:
    """The one value that a name is given in the innermost function that sets it, or in the module."""
    for scope in around:
        nodes = [n for s in scope.body if not _is_apart(s, scope) for n in every_node(s)]
        stored = [
            n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
        ]
        if stored:
            values = [n.value for n in nodes if isinstance(n, ast.Assign) and n.targets == stored]
            return values[0] if values else None
    return None


def _is_apart(statement: ast.stmt, scope: ast.Module | FunctionNode) -> bool:
    """Whether a statement of a module is a definition: what is set there is not set in the module."""
    return isinstance(scope, ast.Module) and isinstance(statement, FunctionNode | ast.ClassDef)


def _is_such_a_test(helper: str, around: _Scopes) -> bool:
    """Whether a function of the module tells if its first argument takes the second one."""
    for node in around[-1].body:
        if isinstance(node, FunctionNode) and node.name == helper and len(node.args.args) == 2:
            function, asked = (a.arg for a in node.args.args)
            match node.body[-1]:
                case ast.Return(
                    value=ast.Compare(left=ast.Name(id=left), ops=[ast.In()], comparators=[held])
                ):
                    return left == asked and _function_of(held, [node]) == function
    return False


def _answer(
    function: str, asked: Callable[[Signature], bool], place: Place, around: _Scopes, pair: Comparison
) -> bool | None:
    """Return what a function of the new upstream answers, None where that cannot be told."""
    found, bound = _resolved(function, place, around, pair)
    if found is None or not pair.new_tree.owns(found.module):
        return None
    if found.kind == "class":
        made = constructor(pair.new, found)
        signatures = made[0] if made is not None else ()
    else:
        signatures = function_signatures(found.functions, bound)
    return any(map(asked, signatures)) if signatures else None


def _resolved(function: str, place: Place, around: _Scopes, pair: Comparison) -> tuple[Symbol | None, bool]:
    """The function or class of the new tree that a dotted name of the backend means, and whether its first
    parameter is filled."""
    head, _, rest = function.partition(".")
    for scope in around[:-1]:
        for node in every_node(scope):
            if isinstance(node, ast.ImportFrom) and not node.level:
                for alias in node.names:
                    if (alias.asname or alias.name) == head:
                        return pair.now(".".join(filter(None, (node.module, alias.name, rest)))), False
    found = pair.new.local(place.module, function)
    if found is not None:
        return found, False
    value = named_in(pair.in_new, place.module, place.scope, function)
    return (value.symbol, value.bound) if value is not None and not value.instance else (None, False)
