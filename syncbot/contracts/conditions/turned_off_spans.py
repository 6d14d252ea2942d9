"""The lines of one file that the tests of a version turn off, and which of its names stand for such a
test."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.statement_parts import absolute, imported
from syncbot.api.syntax import parsed
from syncbot.contracts.conditions.guards import Truth, VersionTests, versions_alone
from syncbot.contracts.conditions.version_helpers import by_name, done_in, given_once, version_constants

_VERSION = re.compile(rb"\d\.\d")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# https://docs.pytest.org/en/stable/how-to/skipping.html and https://docs.python.org/3/library/unittest.html:
# with which answer to its condition a decorator leaves a test out.
_SKIPPING = {"skipif": True, "skipIf": True, "skipUnless": False}

#: A line and column, as ``ast`` has them.
At = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Span:
    """From a line and column on, up to another one."""

    start: At
    end: At

    def holds(self, at: At) -> bool:
        """Whether a place is in it."""
        return self.start <= at < self.end


def span_of(nodes: Sequence[ast.stmt] | Sequence[ast.expr]) -> Span:
    """From the first of some nodes to the end of the last one, decorators included."""
    first, last = nodes[0], nodes[-1]
    starts = [first, *getattr(first, "decorator_list", ())]
    start = min((node.lineno, node.col_offset) for node in starts)
    return Span(start, (last.end_lineno or last.lineno, last.end_col_offset or last.col_offset + 1))


# A check asks for the same files again for each state of the upstream and of the backend that it looks at.
@remembered(2048)
def turned_off(
    source: bytes, module: str, path: str, tests: VersionTests, constants: frozenset[tuple[str, bool]]
) -> tuple[Span, ...]:
    """Return what of a file is off by itself where some names of modules have these answers."""
    tree = parsed(source)
    if tree is None:
        return ()
    truth = Truth(_naming(tests, source), _locals(tree, module, path, dict(constants)))
    text = source.split(b"\n")
    return tuple(_Spans(truth, text, _speaking_lines(source, truth, 0)).of_block(tree.body))


@remembered(2048)
def meant(
    source: bytes, module: str, path: str, tests: VersionTests, constants: frozenset[tuple[str, bool]]
) -> tuple[tuple[str, bool], ...]:
    """Return what names of a file stand for a test of the version, those of other modules included."""
    tree = parsed(source)
    if tree is None:
        return ()
    truth = Truth(_naming(tests, source), _locals(tree, module, path, dict(constants)))
    lines = _speaking_lines(source, truth, 0)
    return tuple({**truth.known, **dict(_told(tree.body, truth, lines))}.items())


def _naming(tests: VersionTests, source: bytes) -> VersionTests:
    """The tests with the names by which a module imports the ``__version__`` of a package."""
    constants = version_constants(source)
    named = replace(tests, constants=constants) if constants else tests
    if b"__version__" not in source:
        return named
    names = _names_of_versions(source, tests.packages)
    return replace(named, aliases=names) if names else named


@remembered(512)
def _names_of_versions(source: bytes, packages: tuple[str, ...]) -> tuple[str, ...]:
    """The names that a module imports the ``__version__`` of a package by."""
    tree = parsed(source)
    return tuple(
        alias.asname or alias.name
        for node in (every_node(tree) if tree is not None else ())
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in packages
        for alias in node.names
        if alias.name == "__version__" and not node.level
    )


def _speaking_lines(text: bytes, truth: Truth, start: int) -> Sequence[int]:
    """The numbers of the lines, behind ``start`` ones, that may hold a test of a version, a name for one, or
    a call of what tells it."""
    tests = truth.tests
    words = {b"version", b"find_spec", b"available"}
    words |= {name.encode() for name in (*tests.aliases, *by_name(tests.helpers))}
    words |= {name.partition(" ")[0].removesuffix("()").rpartition(".")[2].encode() for name in truth.known}
    words |= {name.encode() for name, _ in tests.constants}
    words |= {tests.gate.partition("(")[0].rpartition(".")[2].encode()} if tests.gate else set()
    # To look for each word takes a tenth of the time of a pattern of all.
    lower = text.lower()
    places = {found.start() for found in _VERSION.finditer(text)}
    for word in {word.lower() for word in words}:
        at = lower.find(word)
        while at >= 0:
            places.add(at)
            at = lower.find(word, at + 1)
    found, line, behind = list[int](), start + 1, 0
    for at in sorted(places):
        line += text.count(b"\n", behind, at)
        behind = at
        if not found or found[-1] != line:
            found.append(line)
    return found


def _speaks(nodes: Sequence[ast.stmt], lines: Sequence[int]) -> bool:
    """Whether one of these lines belongs to some statements, with their decorators."""
    span = span_of(nodes)
    at = bisect_left(lines, span.start[0])
    return at < len(lines) and lines[at] <= span.end[0]


class _Spans:
    """Looks in a ``text`` for what tests turn off that stand on ``lines``."""

    def __init__(self, truth: Truth, text: Sequence[bytes], lines: Sequence[int]) -> None:
        self._truth, self._text, self._lines = truth, text, lines

    def of_block(self, body: Sequence[ast.stmt]) -> Iterator[Span]:
        """Yield what is off in some statements."""
        for at, statement in enumerate(body):
            if not _speaks([statement], self._lines):
                continue
            yield from self._of(statement)
            if isinstance(statement, ast.If) and body[at + 1 :]:
                told = self._truth.of(statement.test)
                taken = statement.body if told else statement.orelse if told is False else ()
                if taken and isinstance(taken[-1], _LEAVES):
                    yield span_of(body[at + 1 :])
                    return

    def _of(self, node: ast.AST) -> Iterator[Span]:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                told = self._truth.of(test)
                yield from self._of(test)
                yield from [span_of(orelse)] if told and orelse else self.of_block(orelse)
                yield from [span_of(body)] if told is False else self.of_block(body)
            case ast.expr():
                for part in every_node(node):
                    yield from self._of_choice(part)
            case ast.Match(subject=subject, cases=cases) if self._truth.tests.names_version(subject):
                for case in cases:
                    off = not self._truth.tests.otherwise and versions_alone(case.pattern)
                    yield from [span_of(case.body)] if off else self.of_block(case.body)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield from self._of_definition(node)
            case _:
                yield from self._below(node)

    def _of_definition(self, node: FunctionNode | ast.ClassDef) -> Iterator[Span]:
        if self._is_skipped(node):
            yield span_of([node])
        elif isinstance(node, ast.ClassDef):
            yield from self._below(node)
        else:
            inner = self._inside(node)
            known = inner.knowing(dict(_told(node.body, inner, self._lines_in(node, inner))))
            lines = self._lines_in(node, known)
            found = (each for block in _blocks_in(node.body) for each in _told(block, known, lines))
            further = {name: told for name, told in found if _times_stored(name, node.body) == 1}
            settled = known.knowing({**further, **known.known}) if further else known
            lines = self._lines_in(node, settled)
            yield from _Spans(settled, self._text, lines).of_block(node.body)

    def _lines_in(self, node: FunctionNode, truth: Truth) -> Sequence[int]:
        """The lines of a function that may hold a test, where its own names stand for some."""
        if truth.known.keys() <= self._truth.known.keys() and truth.tests is self._truth.tests:
            return self._lines
        start = node.lineno - 1
        return _speaking_lines(b"\n".join(self._text[start : node.end_lineno]), truth, start)

    def _inside(self, node: FunctionNode) -> Truth:
        """Return what conditions come to in a function, whose own names hide those around it."""
        tests = self._truth.tests
        values = _values(node)
        if not (self._truth.known or tests.constants or values):
            return self._truth
        bound = _bound(node)
        kept = tuple(each for each in tests.constants if each[0] not in bound)
        inner = self._truth.without(bound)
        if kept == tests.constants and not values:
            return inner
        return replace(inner, tests=replace(tests, constants=(*kept, *values)))

    def _is_skipped(self, node: FunctionNode | ast.ClassDef) -> bool:
        """Whether a test is left out here: ``@pytest.mark.skipif(…)``, ``@unittest.skipUnless(…)``."""
        for decorator in node.decorator_list:
            match decorator:
                case ast.Call(func=function, args=[test, *_]) if isinstance(
                    function, ast.Name | ast.Attribute
                ):
                    last = (dotted(function) or "").rpartition(".")[2]
                    if last in _SKIPPING and self._truth.of(test) is _SKIPPING[last]:
                        return True
        return False

    def _of_choice(self, node: ast.AST) -> Iterator[Span]:
        match node:
            case ast.IfExp(test=test, body=value, orelse=other):
                told = self._truth.of(test)
                yield from [] if told is None else [span_of([other if told else value])]
            case ast.BoolOp(values=values):
                deciding = isinstance(node.op, ast.Or)
                at = next((n for n, v in enumerate(values, 1) if self._truth.of(v) is deciding), len(values))
                yield from [span_of(values[at:])] if values[at:] else []

    def _below(self, node: ast.AST) -> Iterator[Span]:
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield from self.of_block(value)
            else:
                parts = value if isinstance(value, list) else [value]
                yield from (span for part in parts if isinstance(part, ast.AST) for span in self._of(part))


def _blocks_in(body: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of the statements in a block, those in these as well, functions and classes left out."""
    for statement in body:
        if isinstance(statement, FunctionNode | ast.ClassDef):
            continue
        for block in (getattr(statement, name, None) for name in ("body", "orelse", "finalbody")):
            if block:
                yield block
                yield from _blocks_in(block)


def _told(body: Sequence[ast.stmt], truth: Truth, lines: Sequence[int]) -> Iterator[tuple[str, bool]]:
    """The names that a block sets once, to a test of the version, functions that return one (``f()``), and
    whether what a test of it imports or leaves out is None (``x is None``)."""
    if not body or not _speaks([body[0], body[-1]], lines):
        return
    done = [statement for statement, _ in done_in(body)]
    for statement in done:
        if not _speaks([statement], lines):
            continue
        match statement:
            case ast.If(test=test, body=taken, orelse=other):
                yield from _left_out(truth.of(test), taken, other, body)
                continue
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                told = truth.of(value)
                told = told if told is None or _times_stored(name, done) == 1 else None
            case ast.FunctionDef(name=name, args=ast.arguments(posonlyargs=[], args=[], kwonlyargs=[])):
                shown = statement.body[1:] if ast.get_docstring(statement) else statement.body
                returned = shown[0].value if len(shown) == 1 and isinstance(shown[0], ast.Return) else None
                told, name = truth.of(returned) if returned is not None else None, f"{name}()"
            case _:
                continue
        if told is not None:
            yield name, told


def _left_out(
    told: bool | None, taken: Sequence[ast.stmt], other: Sequence[ast.stmt], body: Sequence[ast.stmt]
) -> Iterator[tuple[str, bool]]:
    """Of each name that one branch imports and the other sets to None, whether it is None."""
    if told is None or not other:
        return
    for imports, empties, imported_there in ((taken, other, told), (other, taken, not told)):
        names = {a.asname or a.name for s in imports if isinstance(s, ast.ImportFrom) for a in s.names}
        for statement in empties:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)) if name in names:
                    if _times_stored(name, body) == 1:
                        yield f"{name} is None", not imported_there


def _times_stored(name: str, body: Sequence[ast.stmt]) -> int:
    nodes = (node for statement in body for node in every_node(statement))
    return sum(isinstance(n, ast.Name) and n.id == name and _is_stored(n) for n in nodes)


def _locals(tree: ast.Module, module: str, path: str, constants: Mapping[str, bool]) -> dict[str, bool]:
    """Return what names of a module mean that are or lead to constants."""
    own = f"{module}."
    known = {n.removeprefix(own): told for n, told in constants.items() if n.startswith(own)}
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    for node in every_node(tree) if constants else ():
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for bound in imported(node, ""):
            base = absolute(package, bound.level, bound.module)
            whole = bound.local if bound.name is None and bound.local == base.partition(".")[0] else base
            target = f"{base}.{bound.name}" if bound.name is not None else whole
            for name, told in constants.items():
                if name.removesuffix("()") == target:
                    known[bound.local + ("()" if name.endswith("()") else "")] = told
                elif name.startswith(f"{target}."):
                    known[f"{bound.local}{name.removeprefix(target)}"] = told
    return known


# Each version that is asked for goes through the same functions, while their file's tree is at hand: what is
# remembered any longer keeps syntax that nobody asks about again.
@lru_cache(maxsize=128)
def _values(function: FunctionNode) -> tuple[tuple[str, str], ...]:
    """The texts of what names of a function are given once, where these may be a version."""
    return given_once(function.body, speaking=True)


@lru_cache(maxsize=128)
def _bound(function: FunctionNode) -> frozenset[str]:
    """The names that a function binds."""
    arguments = frozenset(a.arg for a in every_node(function.args) if isinstance(a, ast.arg))
    return arguments | {n.id for n in every_node(function) if isinstance(n, ast.Name) and _is_stored(n)}


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store | ast.Del)
