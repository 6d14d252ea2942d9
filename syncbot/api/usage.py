"""Extracts the calls and reads of modules, only for modules that changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import cast

from syncbot.api.every_node import children
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.handed_on import SHAPES, as_call, handed_on
from syncbot.api.local_literals import spelled_out
from syncbot.api.model import Call, UsageTable
from syncbot.api.recently_used import RecentlyUsed
from syncbot.api.syntax import parse
from syncbot.api.tree import BlobValues, ModuleTree


def extract_usage(source: bytes) -> UsageTable:
    """The usage table of a module's text; one that does not parse gives a table with ``problem`` set."""
    try:
        tree = parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return UsageTable(problem=f"{type(error).__name__}: {error}")
    calls: list[Call] = []
    chains: set[str] = set()
    # The names that imports, inside functions too, give to what is called otherwise where it comes from.
    renamed: dict[str, str] = {}
    _collect(tree, "", calls, chains, renamed)
    calls += [replace(c, callee=renamed[c.callee], direct=False) for c in calls if c.callee in renamed]
    return UsageTable(tuple(sorted(calls, key=lambda c: c.line)), tuple(sorted(chains)))


def _collect(node: ast.AST, scope: str, calls: list[Call], chains: set[str], renamed: dict[str, str]) -> None:
    stack: list[tuple[ast.AST, str, FunctionNode | None]] = [(node, scope, None)]
    while stack:
        node, scope, function = stack.pop()
        kind = type(node)
        if kind is ast.Call:
            call = cast(ast.Call, node)
            calls.append(_call(call, scope, function))
            if (handed := handed_on(call)) is not None:
                calls.append(replace(_call(as_call(handed), scope), line=call.lineno, direct=False))
        elif kind is ast.Attribute:
            attribute = cast(ast.Attribute, node)
            if type(attribute.ctx) is ast.Load:
                chains.add(dotted(attribute) or f"?.{attribute.attr}")
        elif kind is ast.ImportFrom:
            names = cast(ast.ImportFrom, node).names
            renamed.update((a.asname, a.name) for a in names if a.asname and a.asname != a.name)
        elif kind in _DEFINITIONS:
            name: str = node.name  # type: ignore[attr-defined]
            scope = f"{scope}.{name}" if scope else name
            function = node if isinstance(node, FunctionNode) else None
        for child in children(node):
            if child.__class__ not in _LEAVES:
                stack.append((child, scope, function))


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_HANDING = (*(f"{name}(" for name in SHAPES), "args=(", "kwargs={")
_LEAVES = (ast.Name, ast.Constant)


def _call(node: ast.Call, scope: str, function: FunctionNode | None = None) -> Call:
    match node.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=attribute):
            other = f"super().{attribute}"
        case ast.Attribute(attr=attribute):
            other = f"?.{attribute}"
        case _:
            other = "?"
    hides = any(k.arg is None for k in node.keywords)
    keywords = spelled_out(node, function).keywords if hides and function is not None else node.keywords
    return Call(
        dotted(node.func) or other,
        node.lineno,
        sum(not isinstance(a, ast.Starred) for a in node.args),
        tuple(k.arg for k in keywords if k.arg),
        any(isinstance(a, ast.Starred) for a in node.args) or any(map(_hides_any, keywords)),
        scope,
    )


def _hides_any(keyword: ast.keyword) -> bool:
    """Whether a keyword stands for others that nobody sees: what is passed on a condition alone is none."""
    match keyword:
        case ast.keyword(arg=None, value=ast.IfExp(body=ast.Dict(), orelse=ast.Dict(keys=[]))):
            return False
    return keyword.arg is None


@dataclass(frozen=True, slots=True)
class Uses:
    """Calls of one blob by the last part of the callee, attributes read, and their dotted chains."""

    calls: dict[str, tuple[Call, ...]]
    names: frozenset[str]
    chains: tuple[str, ...]


class UsageIndex:
    """The uses of each blob."""

    def __init__(self, usages: BlobValues[UsageTable]) -> None:
        self._usages = usages
        self._known = RecentlyUsed[str, Uses](2000)

    def get(self, blob: str, read: Callable[[str], bytes], /) -> Uses:
        """The uses of one blob."""
        known = self._known.get(blob)
        if known is None:
            table = self._usages.get(blob, read)
            calls: dict[str, list[Call]] = {}
            for call in map(_sharing, table.calls):
                calls.setdefault(intern(call.callee.rpartition(".")[2]), []).append(call)
            chains = tuple(map(intern, table.chains))
            names = frozenset(intern(part) for chain in chains for part in chain.split(".")[1:])
            by_name = {name: tuple(those) for name, those in calls.items()}
            known = self._known.put(blob, Uses(by_name, names, chains))
        return known


def _sharing(call: Call) -> Call:
    """A call whose texts are kept once: most stand in many modules."""
    keywords = tuple(map(intern, call.keywords))
    return Call(
        intern(call.callee),
        call.line,
        call.positional,
        keywords,
        call.starred,
        intern(call.scope),
        call.direct,
    )


class UsageTables:
    """The calls of one module tree."""

    def __init__(self, tree: ModuleTree, index: UsageIndex) -> None:
        self._tree = tree
        self._index = index

    def calls(self, modules: Sequence[str], name: str) -> Iterator[tuple[str, Call]]:
        """All calls of ``….name(…)`` or ``name(…)`` in some modules, each with its module."""
        return self._calls(modules, name, f"{name}(")

    def calls_under_any_name(self, modules: Sequence[str], name: str) -> Iterator[tuple[str, Call]]:
        """The same with those under the name that an import gives it, which a method has not."""
        return self._calls(modules, name, f"{name}(", f"{name} as ")

    def _calls(self, modules: Sequence[str], name: str, *texts: str) -> Iterator[tuple[str, Call]]:
        # Few modules have the name at all: only those are searched for each way to write a call of it.
        named = self._tree.mentioning(modules, name)
        called = self._tree.mentioning(named, *texts)
        handing = self._tree.mentioning(named, *_HANDING)
        later = self._tree.mentioning(handing, f"{name},", f"{name})", f'"{name}"', f"'{name}'")
        for module in dict.fromkeys((*called, *later)):
            uses = self._tree.derived(module, self._index)
            for call in uses.calls.get(name, ()) if uses is not None else ():
                self._tree.note((module,))
                yield module, call

    def all_calls(self, modules: Sequence[str]) -> Iterator[tuple[str, Call]]:
        """All calls in some modules, each with its module; this counts as no look at them."""
        for module in modules:
            uses = self._tree.derived(module, self._index)
            for calls in uses.calls.values() if uses is not None else ():
                yield from ((module, call) for call in calls)

    def readers(self, modules: Sequence[str], name: str) -> Iterator[str]:
        """Those of some modules that read an attribute of that name."""
        for module in self._tree.mentioning(modules, f".{name}"):
            uses = self._tree.derived(module, self._index)
            if uses is not None and name in uses.names:
                self._tree.note((module,))
                yield module

    def chains(self, module: str) -> tuple[str, ...]:
        """The dotted attribute chains that one module reads; this counts as a look at it."""
        uses = self._tree.derived(module, self._index)
        self._tree.note((module,))
        return uses.chains if uses is not None else ()
