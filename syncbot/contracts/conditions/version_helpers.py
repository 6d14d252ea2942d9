"""Functions of a project that are asked for the upstream's version, as ``at_least("1.2")`` is: what a call
of them comes to, by their definition."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice

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
_SPEAKS = re.compile(r"ersion|\d\.\d|available\(|find_spec\(")
# The words of it, for a name by itself: what stands behind it is another node.
_SPEAKING = ("ersion", "available", "find_spec")
# What is longer says nothing of a version.
_MOST_NODES = 60


@dataclass(frozen=True, slots=True)
class VersionHelper:
    """A function by its text, the texts of its parameters' defaults (None: required), and whether it
    ``orders``: asks what is before or after; ``constants`` are the texts of what names of its module are
    given once. Without a text nobody can tell what it does."""

    text: str
    parameters: tuple[tuple[str, str | None], ...]
    orders: bool
    constants: tuple[tuple[str, str], ...] = ()


#: The helpers of a project by their names.
VersionHelpers = tuple[tuple[str, VersionHelper], ...]


# Asked for each state of the upstream.
@lru_cache(maxsize=2)
def version_helpers(files: tuple[SourceFile, ...]) -> VersionHelpers:
    """The functions that speak of versions; where several have one name, none is read."""
    found: dict[str, VersionHelper] = {}
    for file in files:
        # A search for a plain text costs a tenth of one for a pattern.
        if file.is_test or b"def " not in file.text or b"version" not in file.text.lower():
            continue
        if _IN_A_FUNCTION.search(file.text) is None:
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


def filled(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with values in the place of names."""
    whole = ast.Expression(expression(ast.unparse(node)) or node)
    _Filled(values).visit(whole)
    return whole.body


class _Filled(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


@cache
def function_of(text: str) -> ast.FunctionDef | None:
    """The function that a text is."""
    body = ast.parse(text).body
    return body[0] if body and isinstance(body[0], ast.FunctionDef) else None


def given_once(body: Sequence[ast.stmt], speaking: bool = False) -> tuple[tuple[str, str], ...]:
    """The texts of what names of a block are given once, of several names at once the part of each; with
    ``speaking`` only what may be a version, or a test of one; of what is tried only that."""
    done = [*done_in(body)]
    found = {
        name: text
        for statement, tried in done
        for name, text in _texts_given(statement, only_speaking=speaking or tried)
    }
    if not found:
        return ()
    counts = Counter(
        n.id
        for statement, _ in done
        if not isinstance(statement, FunctionNode | ast.ClassDef)
        for n in every_node(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
    return tuple((name, text) for name, text in found.items() if counts[name] == 1)


def _texts_given(statement: ast.stmt, *, only_speaking: bool) -> Iterator[tuple[str, str]]:
    """The names that an assignment gives something short, each with the text of that."""
    match statement:
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            if only_speaking and not (_may_speak(target) or _may_speak(value)):
                return
            text = ast.unparse(value) if _is_short(value) else ""
            words = f"{ast.unparse(target)} {text}".lower()
            if not text or (only_speaking and _SPEAKS.search(words) is None):
                return
            match target:
                case ast.Name(id=name):
                    yield name, text
                case ast.Tuple(elts=targets):
                    parts = ((n, t) for n, t in enumerate(targets) if isinstance(t, ast.Name))
                    yield from ((t.id, f"({text})[{n}]") for n, t in parts)


def done_in(body: Sequence[ast.stmt], tried: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of a block, in the place of a ``try`` those that are done where it does not fail, and
    whether they are such: its handlers are for a version that cannot be read."""
    for statement in body:
        if isinstance(statement, ast.Try) and statement.handlers:
            yield from done_in([*statement.body, *statement.orelse, *statement.finalbody], True)
        else:
            yield statement, tried


def _may_speak(node: ast.expr) -> bool:
    """Whether the text of a node may match; its text costs more than a look at its parts."""
    for part in every_node(node):
        match part:
            case ast.Constant(value=float()):
                return True
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
                if any(said in word.lower() for said in _SPEAKING):
                    return True
            case ast.Constant(value=str() | bytes() as text) if _SPEAKS.search(repr(text).lower()):
                return True
    return False


def _is_short(node: ast.expr) -> bool:
    return next(islice(every_node(node), _MOST_NODES, None), None) is None


@remembered(2048)
def version_constants(source: bytes) -> tuple[tuple[str, str], ...]:
    """Return what names of a module are given once, and may be a version, or a test of one."""
    tree = parsed(source) if b"ersion" in source or b"available(" in source else None
    return given_once(tree.body, speaking=True) if tree is not None else ()


@remembered(2048)
def _defined(source: bytes) -> Sequence[tuple[str, VersionHelper]]:
    tree = parsed(source)
    if tree is None:
        return []
    constants = given_once(tree.body)
    return [*_helpers(tree.body, source.splitlines(), constants)]


def _helpers(
    body: Iterable[ast.stmt], lines: Sequence[bytes], constants: tuple[tuple[str, str], ...]
) -> Iterator[tuple[str, VersionHelper]]:
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from _helpers([*node.body, *node.orelse], lines, constants)
        elif isinstance(node, ast.ClassDef):
            yield from _helpers(node.body, lines, constants)
        elif isinstance(node, ast.FunctionDef):
            words = {n.id for n in every_node(node) if isinstance(n, ast.Name)}
            named = tuple(each for each in constants if each[0] in words)
            told = any("ersion" in text for _, text in named) or _speaks_of_versions(node, lines)
            parameters = _parameters(node.args) if told else None
            if parameters is not None:
                comparisons = [n for n in every_node(node) if isinstance(n, ast.Compare)]
                orders = any(isinstance(op, _ORDERED) for n in comparisons for op in n.ops)
                yield node.name, VersionHelper(ast.unparse(node), parameters, orders, named)


def _speaks_of_versions(node: FunctionNode, lines: Sequence[bytes]) -> bool:
    if not any(b"version" in line.lower() for line in lines[node.lineno - 1 : node.end_lineno]):
        return False
    words = (n.id if isinstance(n, ast.Name) else n.attr if isinstance(n, ast.Attribute) else ""
             for n in every_node(node))  # fmt: skip
    return any("version" in word.lower() for word in words)


def _parameters(arguments: ast.arguments) -> tuple[tuple[str, str | None], ...] | None:
    """Names with the texts of their defaults; None where the function takes any number of them."""
    if arguments.vararg or arguments.kwarg:
        return None
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
