"""Functions of a project that are asked for the upstream's version, as ``at_least("1.2")`` is: what a call
of them comes to, by their definition."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, expression
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import parsed
from syncbot.contracts.sources import SourceFile

# Words in names of functions that ask for more than one version.
_ORDERS = {"least", "ge", "gt", "le", "lt", "greater", "less", "newer", "older", "since", "before", "after",
           "above", "below", "min", "minimum", "max", "until", "later", "earlier", "from"}  # fmt: skip
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(frozen=True, slots=True)
class VersionHelper:
    """A function with the texts of its parameters' defaults (None: required) and of what it returns (None:
    several things, or what cannot be read); ``orders`` where it asks what is before or after."""

    parameters: tuple[tuple[str, str | None], ...]
    returned: str | None
    orders: bool

    def asked(self, call: ast.Call) -> ast.expr | None:
        """What a call comes to: the expression that is returned, with the arguments in it. None where that
        cannot be read, or where the arguments do not fit."""
        if self.returned is None or len(call.args) > len(self.parameters):
            return None
        given: dict[str, ast.expr] = {}
        for name, default in self.parameters:
            value = expression(default) if default is not None else None
            given.update({name: value} if value is not None else {})
        given.update((name, value) for (name, _), value in zip(self.parameters, call.args, strict=False))
        given.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)
        if given.keys() != {name for name, _ in self.parameters}:
            return None
        returned = expression(self.returned)
        return _Filled(given).visit(returned) if returned is not None else None


#: The helpers of a project by their names.
VersionHelpers = tuple[tuple[str, VersionHelper], ...]


def version_helpers(files: Iterable[SourceFile]) -> VersionHelpers:
    """The functions that take something and speak of versions; where several have one name, none is read."""
    found: dict[str, VersionHelper] = {}
    for file in files:
        if file.is_test or b"ersion" not in file.text or b"def " not in file.text:
            continue
        for name, helper in _defined(file.text):
            known = found.setdefault(name, helper)
            if known != helper:
                found[name] = VersionHelper((), None, known.orders or helper.orders)
    return tuple(sorted(found.items()))


@cache
def by_name(helpers: VersionHelpers) -> Mapping[str, VersionHelper]:
    """The same, to be looked up."""
    return dict(helpers)


def names_order(function: ast.expr) -> bool:
    """Whether the name of a function says that it asks for what is before or after a version."""
    last = (dotted(function) or "").rpartition(".")[2]
    return not _ORDERS.isdisjoint(word.lower() for word in _WORD.findall(last))


class _Filled(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)


@remembered(2048)
def _defined(source: bytes) -> Sequence[tuple[str, VersionHelper]]:
    tree = parsed(source)
    return [*_helpers(tree.body)] if tree is not None else []


def _helpers(body: Iterable[ast.stmt]) -> Iterator[tuple[str, VersionHelper]]:
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from _helpers([*node.body, *node.orelse])
        elif isinstance(node, ast.ClassDef):
            yield from _helpers(node.body)
        elif isinstance(node, ast.FunctionDef) and _speaks_of_versions(node):
            parameters = _parameters(node.args)
            if parameters:
                comparisons = [n for n in every_node(node) if isinstance(n, ast.Compare)]
                orders = any(isinstance(op, _ORDERED) for n in comparisons for op in n.ops)
                yield node.name, VersionHelper(parameters, _returned(node), orders)


def _speaks_of_versions(node: FunctionNode) -> bool:
    words = (n.id if isinstance(n, ast.Name) else n.attr if isinstance(n, ast.Attribute) else ""
             for n in every_node(node))  # fmt: skip
    return any("version" in word.lower() for word in words)


def _parameters(arguments: ast.arguments) -> tuple[tuple[str, str | None], ...]:
    """Names with the texts of their defaults; none where the function takes any number of them."""
    if arguments.vararg or arguments.kwarg:
        return ()
    placed = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(placed) - len(arguments.defaults)) + [ast.unparse(d) for d in arguments.defaults]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return (
        *(
            (a.arg, default)
            for a, default in zip(placed, defaults, strict=True)
            if a.arg not in ("self", "cls")
        ),
        *((a.arg, ast.unparse(default) if default is not None else None) for a, default in named),
    )


def _returned(node: FunctionNode) -> str | None:
    """What a function returns but for plain True and False, as one expression of its parameters: names that
    it sets once are what they are set to."""
    values = [n.value for n in every_node(node) if isinstance(n, ast.Return)]
    told = [value for value in values if value is not None and not _is_plain(value)]
    if len(told) != 1:
        return None
    given: dict[str, list[ast.expr]] = {}
    for inner in every_node(node):
        if isinstance(inner, ast.Assign | ast.AnnAssign | ast.NamedExpr) and inner.value is not None:
            targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    given.setdefault(target.id, []).append(inner.value)
    own = {name for name, _ in _parameters(node.args)}
    if own & given.keys():
        return None
    once = {name: values[0] for name, values in given.items() if len(values) == 1}
    returned = expression(ast.unparse(told[0]))
    for _ in once:
        returned = _Filled(once).visit(returned) if returned is not None else None
    return ast.unparse(returned) if returned is not None else None


def _is_plain(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, bool | None)
