"""Code runs where names stand for nothing: whether all that asks for them fails then."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.statement_parts import imported
from syncbot.contracts.conditions.tried_imports import only_raises

#: What a name may be that stands for nothing, beside None, True and False: not bound at all, or an error.
UNBOUND, ERROR = "unbound", "error"
#: Names, and what they are then.
Absent = Mapping[str, bool | str | None]
_CONDITIONS = (ast.IfExp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.While, ast.comprehension)
_Parents = Mapping[ast.AST, ast.AST]


def parents_in(tree: ast.AST) -> _Parents:
    """The node around each node of a tree."""
    return {child: node for node in every_node(tree) for child in children(node)}


def all_fail(scope: ast.AST, giving: ast.stmt, absent: Absent, parents: _Parents) -> bool:
    """Whether all that asks for some names in a function or module raises where they stand for nothing, and
    something asks; ``giving`` is the one statement that may give them more."""
    if not _is_bound_here_alone(scope, giving, absent):
        return False
    inside = set(every_node(giving))
    asked = (
        node
        for node in every_node(scope)
        if isinstance(node, ast.Name) and node.id in absent and isinstance(node.ctx, ast.Load)
        and node not in inside
    )  # fmt: skip
    answers = {_fails(node, absent, parents) for node in asked}
    return True in answers and False not in answers


def function_around(node: ast.AST, parents: _Parents) -> FunctionNode | None:
    """The innermost function around a node."""
    return next((n for n in _above(node, parents) if isinstance(n, FunctionNode)), None)


def _above(node: ast.AST, parents: _Parents) -> Iterator[ast.AST]:
    """The nodes around a node, from the inside."""
    while node in parents:
        node = parents[node]
        yield node


def _is_bound_here_alone(scope: ast.AST, giving: ast.stmt, absent: Absent) -> bool:
    """Whether no other statement gives the names something; before it they may stand for absence."""
    inside = set(every_node(giving))
    for node in every_node(scope):
        if node in inside:
            continue
        match node:
            case (
                ast.Assign(targets=[ast.Name() as name], value=ast.Constant(value=None | bool()))
                | ast.AnnAssign(target=ast.Name() as name, value=ast.Constant(value=None | bool()))
            ) if node.lineno < giving.lineno:
                inside.add(name)
            case (
                ast.Name(id=name, ctx=ast.Store() | ast.Del())
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                if name in absent:
                    return False
            case ast.Import() | ast.ImportFrom():
                if any(bound.local in absent for bound in imported(node, "")):
                    return False
    return True


def _fails(node: ast.Name, absent: Absent, parents: _Parents) -> bool | None:
    """Whether a place that asks for a name raises without it; None where that does not matter."""
    if any(_has_raised(around, node, absent) for around in _above(node, parents)):
        return None
    inner: ast.AST = node
    for around in _above(node, parents):
        match around:
            case ast.If(test=test) | ast.Assert(test=test) if test is inner:
                unbound = absent[node.id] == UNBOUND and not _names_a_flag(test, absent)
                return unbound or _raises(around, absent)
            case _ if isinstance(around, _CONDITIONS):
                decided = absent[node.id] != UNBOUND or _names_a_flag(around, absent)
                if decided and not any(_is_test_of(n, inner) for n in _above(inner, parents)):
                    return False
            case ast.Try(body=body) if any(inner is statement for statement in body):
                return False
            case ast.arg(annotation=said) if said is inner:
                return _evaluated(node, around, absent, parents)
            case ast.AnnAssign(annotation=said) if said is inner:
                return None
            case ast.FunctionDef(returns=said) | ast.AsyncFunctionDef(returns=said) if said is inner:
                return _evaluated(node, around, absent, parents)
        inner = around
    return _is_needed(node, parents) or absent[node.id] == UNBOUND


def _names_a_flag(node: ast.AST, absent: Absent) -> bool:
    """Whether a condition asks for one of the names that has a value then, or whether there is one, as in
    ``"name" in globals()``: it may keep the rest from being asked for."""
    for inner in every_node(node):
        match inner:
            case ast.Name(id=name) if absent.get(name, UNBOUND) != UNBOUND:
                return True
            case ast.Constant(value=str(name)) if name in absent:
                return True
    return False


def _evaluated(node: ast.Name, said: ast.AST, absent: Absent, parents: _Parents) -> bool | None:
    """Whether an annotation of a function asks for a name that is not bound when the function is defined;
    None where it is kept as a text (PEP 563), or the name has a value."""
    module = next((n for n in _above(said, parents) if isinstance(n, ast.Module)), None)
    postponed = module is None or any(
        isinstance(s, ast.ImportFrom)
        and s.module == "__future__"
        and any(a.name == "annotations" for a in s.names)
        for s in module.body
    )
    return True if absent[node.id] == UNBOUND and not postponed else None


def _has_raised(around: ast.AST, node: ast.Name, absent: Absent) -> bool:
    """Whether a function has raised before it gets to a place in it, or the constructor of the object whose
    method it is."""
    body = around.body if isinstance(around, FunctionNode) else []
    tests = [s for s in body if isinstance(s, ast.If | ast.Assert) and (s.end_lineno or 0) < node.lineno]
    if isinstance(around, ast.ClassDef) and _is_of_object(node, around):
        made = (m for m in around.body if isinstance(m, ast.FunctionDef) and m.name == "__init__")
        tests += [s for method in made for s in method.body if isinstance(s, ast.If | ast.Assert)]
    return any(_raises(test, absent) for test in tests)


def _is_of_object(node: ast.Name, class_: ast.ClassDef) -> bool:
    """Whether a place stands in a method that objects of a class have, its constructor left out."""
    line = node.lineno
    methods = (
        m for m in class_.body if isinstance(m, FunctionNode) and m.name not in ("__init__", "__new__")
    )
    around = [m for m in methods if m.body[0].lineno <= line <= (m.end_lineno or line)]
    return any(
        not {(dotted(d) or "").rpartition(".")[2] for d in m.decorator_list} & {"staticmethod", "classmethod"}
        for m in around
    )


def _is_test_of(around: ast.AST, inner: ast.AST) -> bool:
    return isinstance(around, ast.If | ast.Assert) and any(n is inner for n in every_node(around.test))


def _raises(node: ast.If | ast.Assert, absent: Absent) -> bool:
    """Whether a condition on the names leads to nothing but an error."""
    holds = _holds(node.test, absent)
    if holds is None:
        return False
    if isinstance(node, ast.Assert):
        return not holds
    branch = node.body if holds else node.orelse
    return bool(branch) and only_raises(branch)


def _holds(test: ast.expr, absent: Absent) -> bool | None:
    """Whether a condition holds where the names are absent, None where something else decides."""
    match test:
        case ast.Name(id=name) if name in absent and absent[name] != UNBOUND:
            return absent[name] in (True, ERROR)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            answer = _holds(operand, absent)
            return None if answer is None else not answer
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]):
            if name not in absent or absent[name] == UNBOUND or not isinstance(op, ast.Is | ast.IsNot):
                return None
            return (absent[name] is None) is isinstance(op, ast.Is)
        case ast.Call(func=ast.Name(id=name), args=[asked], keywords=[]):
            return _answered(name, asked, absent)
        case ast.BoolOp(op=op, values=values):
            answers = {_holds(value, absent) for value in values}
            decides = isinstance(op, ast.Or)
            if decides in answers:
                return decides
            return None if None in answers else not decides
    return None


def _answered(function: str, asked: ast.expr, absent: Absent) -> bool | None:
    """Return what ``callable(name)`` says, and ``all(… for one in (name, …))``."""
    match asked:
        case ast.Name(id=name) if function == "callable" and name in absent:
            return False if absent[name] in (None, False, True) else None
        case ast.GeneratorExp(
            elt=elt, generators=[ast.comprehension(target=ast.Name(id=each), iter=several, ifs=[])]
        ) if function == "all":
            listed = several.elts if isinstance(several, ast.Tuple | ast.List) else []
            found = [n.id for n in listed if isinstance(n, ast.Name) and n.id in absent]
            return False if any(_holds(elt, {each: absent[n]}) is False for n in found) else None
    return None


def _is_needed(node: ast.Name, parents: _Parents) -> bool:
    """Whether a name is used as None or a truth value cannot be."""
    match parents[node]:
        case ast.Call(func=func) if func is node:
            return True
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
            return classes is node
        case ast.Attribute() | ast.Subscript(slice=ast.expr()) as around:
            return around.value is node
        case ast.ClassDef(bases=bases):
            return any(base is node for base in bases)
    return False
