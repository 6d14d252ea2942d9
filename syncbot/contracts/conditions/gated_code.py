"""Code of the backend that does not run on the upstream at hand: what tests of its version turn off, also by
way of constants, and what only such code reaches."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.extract import imported, parsed
from syncbot.api.remembered_answers import remembered
from syncbot.contracts.conditions.guards import Truth, VersionTests
from syncbot.contracts.model import Location
from syncbot.contracts.sources import Backend, SourceFile

# Decorators that hand what they decorate to nobody.
_PLAIN = {"staticmethod", "classmethod", "property", "cache", "lru_cache", "functools.cache",
          "functools.lru_cache", "cached_property", "functools.cached_property"}  # fmt: skip
_HEADS = (re.compile(rb"def ([^\s(:]+)\("), re.compile(rb"class ([^\s(:]+)[(:]"))
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_MOST_ROUNDS = 8

_At = tuple[int, int]
_Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class _Span:
    """From a line and column on, up to another one."""

    start: _At
    end: _At

    def holds(self, at: _At) -> bool:
        return self.start <= at < self.end


class GatedCode:
    """What of a backend's sources is turned off where ``tests`` have their answer; upstream may call methods
    of a name that it ``knows``."""

    def __init__(
        self, backend: Backend, tests: VersionTests, knows: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._files = {file.module: file for file in backend.files}
        self._tests, self._knows = tests, knows

    def is_off(self, place: Location) -> bool:
        """Whether the code at a place does not run."""
        spans = self._off.get(place.file, ())
        return any(span.holds((place.line, place.column - 1)) for span in spans)

    @cached_property
    def _off(self) -> Mapping[str, list[_Span]]:
        gated = [file for file in self._files.values() if file.names_versions]
        if not gated:
            return {}
        constants, files = self._constants(gated)
        off: dict[str, list[_Span]] = {}
        settled = frozenset(constants.items())
        for file in files:
            spans = _turned_off(file.text, file.module, file.path, self._tests, settled)
            off.update({file.path: [*spans]} if spans else {})
        for _ in range(_MOST_ROUNDS):
            if not self._spread(off):
                break
        return off

    def _constants(self, gated: Iterable[SourceFile]) -> tuple[Mapping[str, bool], list[SourceFile]]:
        """The names of modules that stand for a test, and the files that may use a test or such a name."""
        constants: dict[str, bool] = {}
        files = {file.path: file for file in gated}
        fresh = list(files.values())
        while fresh:
            found: dict[str, bool] = {}
            settled = frozenset(constants.items())
            for file in fresh:
                known = _meant(file.text, file.module, file.path, self._tests, settled)
                found.update((f"{file.module}.{name}", told) for name, told in known if "." not in name)
            new = {name for name in found if name not in constants}
            constants.update(found)
            words = [name.removesuffix("()").rpartition(".")[2].encode() for name in new]
            fresh = [f for f in self._files.values() if any(word in f.text for word in words)] if new else []
            files.update((file.path, file) for file in fresh)
        return constants, list(files.values())

    def _spread(self, off: dict[str, list[_Span]]) -> bool:
        """Turn off what only such code reaches; whether that was anything."""
        more = False
        for name in sorted(self._named_in(off)):
            places = self._definitions(name)
            if len(places) != 1:
                continue
            file, node, method = places[0]
            span = _span([node])
            if any(known.holds(span.start) for known in off.get(file.path, ())):
                continue
            if (method and self._knows(name)) or not self._only_off(name, file, span, off):
                continue
            off.setdefault(file.path, []).append(span)
            more = True
        return more

    def _named_in(self, off: Mapping[str, Sequence[_Span]]) -> set[str]:
        found: set[str] = set()
        for file in self._files.values():
            spans = off.get(file.path)
            tree = parsed(file.text) if spans else None
            if tree is not None and spans:
                mentions = _mentions(tree)
                found |= {name for name, at in mentions if any(span.holds(at) for span in spans)}
        own = frozenset[str]().union(*(file.defined for file in self._files.values()))
        return {name for name in found & own if not (name.startswith("__") and name.endswith("__"))}

    @cached_property
    def _heads(self) -> Mapping[bytes, list[SourceFile]]:
        """By name the files whose text seems to define it, each as often as it does."""
        found: dict[bytes, list[SourceFile]] = defaultdict(list)
        for file in self._files.values():
            for head in _HEADS:
                for name in head.findall(file.text):
                    found[name].append(file)
        return found

    def _definitions(self, name: str) -> list[tuple[SourceFile, _Definition, bool]]:
        """The definitions of a name, each with whether it is a method; none where a decorator gets it."""
        found = []
        # Of most names there are several, which parsing would only say later.
        files = self._heads.get(name.encode(), ())
        for file in files if len(files) == 1 else ():
            tree = parsed(file.text)
            for node, method in _defined(tree.body if tree is not None else (), False):
                if node.name == name:
                    if not all(_is_plain(d) for d in node.decorator_list):
                        return []
                    found.append((file, node, method))
        return found

    def _only_off(self, name: str, home: SourceFile, span: _Span, off: Mapping[str, Sequence[_Span]]) -> bool:
        """Whether a name is used, and only by what is turned off or by the definition itself."""
        used = False
        for file in self._files.values():
            tree = parsed(file.text) if not file.is_test and name.encode() in file.text else None
            for _, at in (m for m in _mentions(tree) if m[0] == name) if tree is not None else ():
                if file is home and span.holds(at):
                    continue
                if not any(known.holds(at) for known in off.get(file.path, ())):
                    return False
                used = True
        return used


# A check asks for the same files again for each state of the upstream and of the backend that it looks at.
@remembered(2048)
def _turned_off(
    source: bytes, module: str, path: str, tests: VersionTests, constants: frozenset[tuple[str, bool]]
) -> tuple[_Span, ...]:
    """What of a file is off by itself where some names of modules have these answers."""
    tree = parsed(source)
    if tree is None:
        return ()
    return tuple(_Spans(Truth(tests, _locals(tree, module, path, dict(constants)))).of_block(tree.body))


@remembered(2048)
def _meant(
    source: bytes, module: str, path: str, tests: VersionTests, constants: frozenset[tuple[str, bool]]
) -> tuple[tuple[str, bool], ...]:
    """What names of a file stand for a test of the version, those of other modules included."""
    tree = parsed(source)
    if tree is None:
        return ()
    known = _locals(tree, module, path, dict(constants))
    return tuple({**known, **dict(_told(tree.body, Truth(tests, known)))}.items())


class _Spans:
    """Looks for what the tests around it turn off."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth

    def of_block(self, body: Sequence[ast.stmt]) -> Iterator[_Span]:
        """What is off in some statements."""
        for at, statement in enumerate(body):
            yield from self._of(statement)
            if isinstance(statement, ast.If) and body[at + 1 :]:
                told = self._truth.of(statement.test)
                taken = statement.body if told else statement.orelse if told is False else ()
                if taken and isinstance(taken[-1], _LEAVES):
                    yield _span(body[at + 1 :])
                    return

    def _of(self, node: ast.AST) -> Iterator[_Span]:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                told = self._truth.of(test)
                yield from self._of(test)
                yield from [_span(orelse)] if told and orelse else self.of_block(orelse)
                yield from [_span(body)] if told is False else self.of_block(body)
            case ast.IfExp(test=test, body=value, orelse=other):
                told = self._truth.of(test)
                yield from [] if told is None else [_span([other if told else value])]
                yield from self._below(node)
            case ast.BoolOp(values=values):
                deciding = isinstance(node.op, ast.Or)
                at = next((n for n, v in enumerate(values, 1) if self._truth.of(v) is deciding), len(values))
                yield from [_span(values[at:])] if values[at:] else []
                yield from self._below(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                inner = self._truth.without(_bound(node)) if self._truth.known else self._truth
                yield from _Spans(inner.knowing(dict(_told(node.body, inner)))).of_block(node.body)
            case _:
                yield from self._below(node)

    def _below(self, node: ast.AST) -> Iterator[_Span]:
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield from self.of_block(value)
            else:
                parts = value if isinstance(value, list) else [value]
                yield from (span for part in parts if isinstance(part, ast.AST) for span in self._of(part))


def _told(body: Sequence[ast.stmt], truth: Truth) -> Iterator[tuple[str, bool]]:
    """The names that a block sets once, to a test of the version, and functions that return one (``f()``)."""
    for statement in body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                told = truth.of(value)
                told = told if told is None or _times_stored(name, body) == 1 else None
            case ast.FunctionDef(name=name, args=ast.arguments(posonlyargs=[], args=[], kwonlyargs=[])):
                shown = statement.body[1:] if ast.get_docstring(statement) else statement.body
                returned = shown[0].value if len(shown) == 1 and isinstance(shown[0], ast.Return) else None
                told, name = truth.of(returned) if returned is not None else None, f"{name}()"
            case _:
                continue
        if told is not None:
            yield name, told


def _times_stored(name: str, body: Sequence[ast.stmt]) -> int:
    nodes = (node for statement in body for node in ast.walk(statement))
    return sum(isinstance(n, ast.Name) and n.id == name and _is_stored(n) for n in nodes)


def _locals(tree: ast.Module, module: str, path: str, constants: Mapping[str, bool]) -> dict[str, bool]:
    """What names of a module mean that are or lead to constants."""
    own = f"{module}."
    known = {n.removeprefix(own): told for n, told in constants.items() if n.startswith(own)}
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    for node in ast.walk(tree) if constants else ():
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for bound in imported(node, ""):
            above = package.split(".")[: len(package.split(".")) - bound.level + 1] if bound.level else []
            base = ".".join([*above, *([bound.module] if bound.module else [])])
            whole = bound.local if bound.name is None and bound.local == base.partition(".")[0] else base
            target = f"{base}.{bound.name}" if bound.name is not None else whole
            for name, told in constants.items():
                if name.removesuffix("()") == target:
                    known[bound.local + ("()" if name.endswith("()") else "")] = told
                elif name.startswith(f"{target}."):
                    known[f"{bound.local}{name.removeprefix(target)}"] = told
    return known


def _bound(function: FunctionNode) -> set[str]:
    """The names that a function binds."""
    arguments = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    return arguments | {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and _is_stored(n)}


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store | ast.Del)


def _is_plain(decorator: ast.expr) -> bool:
    return (dotted(decorator.func if isinstance(decorator, ast.Call) else decorator) or "") in _PLAIN


def _defined(body: Iterable[ast.stmt], method: bool) -> Iterator[tuple[_Definition, bool]]:
    """The functions and classes of a block, also those under conditions, and the methods in the classes."""
    for node in body:
        if isinstance(node, FunctionNode | ast.ClassDef):
            yield node, method
        if isinstance(node, ast.ClassDef):
            yield from _defined(node.body, True)
        elif isinstance(node, ast.If | ast.Try):
            yield from _defined([*node.body, *node.orelse], method)


def _mentions(tree: ast.Module) -> Iterator[tuple[str, _At]]:
    """The words of a module that may mean a definition, each with its place; an import alone uses nothing."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name, (node.lineno, node.col_offset)
            case ast.Constant(value=str(text)):
                yield from ((word, (node.lineno, node.col_offset)) for word in re.findall(r"\w+", text))


def _span(nodes: Sequence[ast.stmt] | Sequence[ast.expr]) -> _Span:
    first, last = nodes[0], nodes[-1]
    starts = [first, *getattr(first, "decorator_list", ())]
    start = min((node.lineno, node.col_offset) for node in starts)
    return _Span(start, (last.end_lineno or last.lineno, last.end_col_offset or last.col_offset + 1))
