"""Functions of a project that are asked for the upstream's version, as ``at_least("1.2")`` is: what a call
of them comes to, by their definition."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, TypeAlias

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
# A line that may be of such a function: no comment, and no line at the very left but that of its head.
_IN_A_FUNCTION = re.compile(
    rb"^(?:[ \t]+(?=[^\s#])|(?:async )?def )[^\n]*version", re.MULTILINE | re.IGNORECASE
)
# A function that asks for a version is short. What somebody else wrote may be made to take for ever.
_MOST_WAYS = 16
_MOST_STEPS = 200
_MOST_NODES = 500


@dataclass(frozen=True, slots=True)
class VersionHelper:
    """A function by its text, the texts of its parameters' defaults (None: required), and whether it
    ``orders``: asks what is before or after. Without a text nobody can tell what it does."""

    text: str
    parameters: tuple[tuple[str, str | None], ...]
    orders: bool

    def answer(self, call: ast.Call, truth: Callable[[ast.expr], bool | None]) -> bool | None:
        """What a call comes to where ``truth`` tells conditions; None where that cannot be read, or where the
        arguments do not fit."""
        function = _function(self.text)
        if function is None or len(call.args) > len(self.parameters):
            return None
        given = {name: expression(default) for name, default in self.parameters if default is not None}
        given.update((name, value) for (name, _), value in zip(self.parameters, call.args, strict=False))
        given.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)
        if given.keys() != {name for name, _ in self.parameters}:
            return None
        values = {name: value for name, value in given.items() if value is not None}
        told = {answer for _, answer in _Run(truth).of(function.body, values) if answer is not _NO_ANSWER}
        answers = [answer for answer in told if isinstance(answer, bool)]
        return answers[0] if len(told) == 1 and answers else None


#: The helpers of a project by their names.
VersionHelpers = tuple[tuple[str, VersionHelper], ...]


def version_helpers(files: Iterable[SourceFile]) -> VersionHelpers:
    """The functions that take something and speak of versions; where several have one name, none is read."""
    found: dict[str, VersionHelper] = {}
    for file in files:
        if file.is_test or b"def " not in file.text or _IN_A_FUNCTION.search(file.text) is None:
            continue
        for name, helper in _defined(file.text):
            known = found.setdefault(name, helper)
            if known != helper:
                found[name] = VersionHelper("", (), known.orders or helper.orders)
    return tuple(sorted(found.items()))


@cache
def by_name(helpers: VersionHelpers) -> Mapping[str, VersionHelper]:
    """The same, to be looked up."""
    return dict(helpers)


def names_order(function: ast.expr) -> bool:
    """Whether the name of a function says that it asks for what is before or after a version."""
    last = (dotted(function) or "").rpartition(".")[2]
    return not _ORDERS.isdisjoint(word.lower() for word in _WORD.findall(last))


_Values: TypeAlias = Mapping[str, ast.expr]
_NO_ANSWER: Final = "it goes on, or raises"


class _Run:
    """Follows a function through its statements, on both ways where a condition is not known, for so many
    steps."""

    def __init__(self, truth: Callable[[ast.expr], bool | None]) -> None:
        self._truth = truth
        self._left = _MOST_STEPS

    def of(self, body: Sequence[ast.stmt], values: _Values) -> list[tuple[_Values, bool | str | None]]:
        """The ways through some statements: what the names hold at its end, and what it returned there (None:
        something that cannot be read)."""
        ways: list[tuple[_Values, bool | str | None]] = [(values, _NO_ANSWER)]
        for statement in body:
            ways = [
                following
                for held, answer in ways
                for following in (
                    self._through(statement, held) if answer is _NO_ANSWER else [(held, answer)]
                )
            ]
            if len(ways) > _MOST_WAYS:
                return [(values, None)]
        return ways

    def _through(self, statement: ast.stmt, values: _Values) -> list[tuple[_Values, bool | str | None]]:
        self._left -= 1
        if self._left < 0:
            return [(values, None)]
        match statement:
            case ast.Return(value=ast.Constant(value=bool(answer))):
                return [(values, answer)]
            case ast.Return(value=value):
                return [(values, self._truth(filled(value, values)) if value is not None else False)]
            case ast.Raise():
                return []
            case ast.If(test=test, body=body, orelse=other):
                told = self._truth(filled(test, values))
                return [*([] if told is False else self.of(body, values)),
                        *([] if told else self.of(other, values))]  # fmt: skip
            case ast.Try(body=body, orelse=other, finalbody=last):
                return self.of([*body, *other, *last], values)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                held = filled(value, values)
                if any(True for _ in islice(every_node(held), _MOST_NODES, None)):
                    return [(values, None)]
                return [({**values, name: held}, _NO_ANSWER)]
            case ast.Import() | ast.ImportFrom() | ast.Expr() | ast.Pass() | ast.Assert():
                return [(values, _NO_ANSWER)]
        return [(values, None)]


def filled(node: ast.expr, values: _Values) -> ast.expr:
    """An expression with values in the place of names."""
    whole = ast.Expression(expression(ast.unparse(node)) or node)
    _Filled(values).visit(whole)
    return whole.body


class _Filled(ast.NodeTransformer):
    def __init__(self, values: _Values) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


@cache
def _function(text: str) -> ast.FunctionDef | None:
    body = ast.parse(text).body
    return body[0] if body and isinstance(body[0], ast.FunctionDef) else None


@remembered(2048)
def _defined(source: bytes) -> Sequence[tuple[str, VersionHelper]]:
    tree = parsed(source)
    return [*_helpers(tree.body, source.splitlines())] if tree is not None else []


def _helpers(body: Iterable[ast.stmt], lines: Sequence[bytes]) -> Iterator[tuple[str, VersionHelper]]:
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from _helpers([*node.body, *node.orelse], lines)
        elif isinstance(node, ast.ClassDef):
            yield from _helpers(node.body, lines)
        elif isinstance(node, ast.FunctionDef) and _speaks_of_versions(node, lines):
            parameters = _parameters(node.args)
            if parameters:
                comparisons = [n for n in every_node(node) if isinstance(n, ast.Compare)]
                orders = any(isinstance(op, _ORDERED) for n in comparisons for op in n.ops)
                yield node.name, VersionHelper(ast.unparse(node), parameters, orders)


def _speaks_of_versions(node: FunctionNode, lines: Sequence[bytes]) -> bool:
    if not any(b"version" in line.lower() for line in lines[node.lineno - 1 : node.end_lineno]):
        return False
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
