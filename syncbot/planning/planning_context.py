"""Data for answers: the backend's syntax and contracts, and the upstream at both ends of the range."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from syncbot.api.every_node import every_node
from syncbot.api.methods import is_static
from syncbot.api.model import Function
from syncbot.api.signatures import Signature, constructor, function_signatures
from syncbot.api.symbols import Member, Symbol
from syncbot.api.syntax import parse
from syncbot.api.universe import Universe
from syncbot.contracts.calls.targets import CallContract, reached
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.patches import PatchContract
from syncbot.contracts.model import Contract
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.impact.model import Impact, Location
from syncbot.impact.trees import Trees
from syncbot.patching.source import Source
from syncbot.planning.syntax_file import Routine, SyntaxFile

Kind = TypeVar("Kind", bound=Contract)


@dataclass(frozen=True, slots=True)
class UpstreamFunction:
    """A function of upstream as syntax: its module, the class around it if any, and its node."""

    module: str
    owner: Symbol | None
    node: Routine


class PlanningContext:
    """The backend and both ends of a range of upstream."""

    def __init__(self, trees: Trees, old: str, new: str) -> None:
        self.trees = trees
        self.pair: Comparison = trees.comparison(old, new)
        self._commits = (old, new)
        self._sources: dict[str, Source] = {}
        self._syntax: dict[str, SyntaxFile | None] = {}
        self._upstream: dict[tuple[int, str], ast.Module | None] = {}
        self._guilty: dict[str, tuple[Universe, Universe]] = {}
        self._modules = {f.path: f.module for f in trees.backend.files}
        self._texts = {f.path: f.text for f in trees.backend.files}

    def close(self) -> None:
        """Let go of what holds itself: Python's cycle collector rests meanwhile."""
        self.pair.close()
        for universes in (*self._guilty.values(), self.__dict__.get("ends", ())):
            for universe in universes:
                universe.close()

    @cached_property
    def contracts(self) -> dict[Location, list[Contract]]:
        """The contracts of the backend with the old upstream, by place."""
        found: dict[Location, list[Contract]] = {}
        for contract in self.trees.contracts(self.pair.old, self._commits[1]):
            found.setdefault(contract.place.location, []).append(contract)
        return found

    def syntax(self, path: str) -> SyntaxFile | None:
        """A file of the backend; None where it is none, or not valid Python."""
        if path not in self._syntax:
            self._syntax[path] = None
            text = self._texts.get(path)
            with suppress(SyntaxError, ValueError, RecursionError):
                self._syntax[path] = SyntaxFile(text) if text is not None else None
        return self._syntax[path]

    def source(self, path: str) -> Source:
        """A file of the backend as rewrites see it."""
        if path not in self._sources:
            self._sources[path] = Source(self._texts[path].decode("utf-8", "replace"), path)
        return self._sources[path]

    def calls_of(self, path: str, name: str) -> list[ast.Call]:
        """The calls in a file of the backend whose callee's last name is a certain one."""
        syntax = self.syntax(path)
        return syntax.calls.get(name, []) if syntax is not None else []

    def nodes(self, path: str) -> Iterator[ast.AST]:
        """All nodes of a file of the backend, none where it has no syntax."""
        syntax = self.syntax(path)
        return iter(syntax.nodes if syntax is not None else ())

    def routine_at(self, place: Location) -> Routine | None:
        """The function of the backend whose head holds a place."""
        syntax = self.syntax(place.file)
        return syntax.routine_at(place) if syntax is not None else None

    def attribute_at(self, place: Location, name: str) -> ast.Attribute | None:
        """The one expression of the backend at a place that says an attribute."""
        spot = (place.line, place.column - 1)
        found = [n for n in self.nodes(place.file) if isinstance(n, ast.Attribute)]
        here = [n for n in found if n.attr == name and (n.lineno, n.col_offset) == spot]
        return here[0] if len(here) == 1 else None

    def contracts_at(self, place: Location, kind: type[Kind]) -> list[Kind]:
        """The contracts of one kind at a place of the backend."""
        return [c for c in self.contracts.get(place, ()) if isinstance(c, kind)]

    def module(self, path: str) -> str:
        """The module name of a file of the backend."""
        return self._modules[path]

    def path(self, module: str) -> str | None:
        """The file of a module of the backend."""
        return next((path for path, name in self._modules.items() if name == module), None)

    def own_class(self, path: str, node: ast.AST) -> Symbol | None:
        """The backend's class around a node of a file, as the new upstream's universe knows it."""
        syntax = self.syntax(path)
        around = syntax.definitions(node) if syntax is not None else []
        classes = [d.name for d in around if isinstance(d, ast.ClassDef)]
        if not classes:
            return None
        names = [d.name for d in around]
        qualname = ".".join(names[: names.index(classes[-1]) + 1])
        found = self.pair.new.resolve(f"{self._modules[path]}.{qualname}")
        return found if found is not None and found.kind == "class" else None

    def overridden(self, own: Symbol, name: str, *, new: bool) -> UpstreamFunction | None:
        """The upstream method that a method of a backend's class overrides, at one end of the range."""
        universe = self.pair.new if new else self.pair.old
        mine = own if new else self.pair.old.resolve(own.name)
        member = upstream_member(mine, name, universe, self.trees.packages) if mine is not None else None
        return self._function(universe, member)

    def overridden_at(self, place: Location) -> tuple[Routine, UpstreamFunction] | None:
        """The method of the backend at a place, and the one of the old upstream that it overrides."""
        routine = self.routine_at(place)
        own = self.own_class(place.file, routine) if routine is not None else None
        if routine is None or own is None:
            return None
        theirs = self.overridden(own, routine.name, new=False)
        return (routine, theirs) if theirs is not None else None

    def method(self, owner: str, name: str, *, new: bool) -> UpstreamFunction | None:
        """Return the function that a call of an upstream class's method runs, at one end of the range."""
        universe = self.pair.new if new else self.pair.old
        home = self.pair.now(owner) if new else universe.resolve(owner)
        return self._function(universe, universe.member(home, name) if home is not None else None)

    def called(self, symbol: str, *, new: bool) -> Routine | None:
        """The function that a call of an upstream symbol runs, at one end of the range: for a class, its
        constructor."""
        universe, name = (self.pair.new if new else self.pair.old), _plain(symbol)
        found = self.pair.now(name) if new else universe.resolve(name)
        if found is not None and found.kind == "function" and "." not in found.qualname:
            return self.upstream_node(universe, found.module, found.functions[-1])
        made = found is not None and found.kind == "class"
        owner, _, method = (name, "", "__init__") if made else name.rpartition(".")
        theirs = self.method(owner, method, new=new)
        return theirs.node if theirs is not None else None

    def _function(self, universe: Universe, member: Member | None) -> UpstreamFunction | None:
        if member is None or not member.functions:
            return None
        node = self.upstream_node(universe, member.owner.module, member.functions[-1])
        return None if node is None else UpstreamFunction(member.owner.module, member.owner, node)

    def stood_in_for(self, path: str, qualname: str) -> PatchContract | None:
        """The one monkey-patch that puts a function of the backend in a method's place."""
        name = f"{self._modules[path]}.{qualname}"
        found = {(c.owner, c.name): c for c in self._patches if c.replacement == name}
        contract = next(iter(found.values())) if len(found) == 1 else None
        owner = self.pair.old.resolve(contract.owner) if contract is not None else None
        return contract if owner is not None and owner.kind == "class" else None

    @cached_property
    def _patches(self) -> list[PatchContract]:
        return [c for every in self.contracts.values() for c in every if isinstance(c, PatchContract)]

    def upstream_node(self, universe: Universe, module: str, function: Function) -> Routine | None:
        """The syntax of a function of upstream."""
        tree = self.upstream_tree(universe, module)
        for node in every_node(tree) if tree is not None else ():
            if isinstance(node, Routine) and node.name == function.name:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                if first <= function.line <= (node.end_lineno or 0):
                    return node
        return None

    def upstream_tree(self, universe: Universe, module: str) -> ast.Module | None:
        """The syntax of an upstream module."""
        key = (id(universe), module)
        if key not in self._upstream:
            self._upstream[key] = None
            tree = universe.tree_of(module)
            source = tree.source(module) if tree is not None else None
            with suppress(SyntaxError, ValueError, RecursionError):
                self._upstream[key] = parse(source) if source is not None else None
        return self._upstream[key]

    def signatures(self, impact: Impact, contract: CallContract | None) -> tuple[Signature, Signature] | None:
        """The old and the new signature of what an impact's call reaches, where both are plain to see."""
        pair = self.pair
        before: Sequence[Signature]
        after: Sequence[Signature]
        if contract is not None:
            was, now = reached(contract, pair.old, pair.old.resolve), reached(contract, pair.new, pair.now)
            before, after = was.signatures if was else (), now.signatures if now else ()
        else:
            before = _called(pair.old, pair.old.resolve(_plain(impact.symbol)))
            after = _called(pair.new, pair.now(_plain(impact.symbol)))
        return (before[0], after[0]) if len(before) == len(after) == 1 else None

    def guilty(self, impact: Impact) -> tuple[Universe, Universe] | None:
        """The upstream before and after the commit of an impact; None where that is not known."""
        if not impact.commit:
            return None
        if impact.commit not in self._guilty:
            repository = self.trees.repository
            commit = next(iter(repository.commits(f"{impact.commit}^", impact.commit)), None)
            if commit is None or not commit.parents:
                return None
            was, now = (self.trees.universe(self.trees.tree(sha)) for sha in (commit.parents[0], commit.sha))
            self._guilty[impact.commit] = (was, now)
        return self._guilty[impact.commit]

    @cached_property
    def ends(self) -> tuple[Universe, Universe]:
        """The upstream alone, at both ends."""
        was, now = (self.trees.universe(self.trees.tree(sha)) for sha in self._commits)
        return was, now

    def gained(self, impact: Impact, symbol: str) -> frozenset[str] | None:
        """The parameters that the guilty commit gave a callable; None where that cannot be told."""
        ends = self.guilty(impact)
        if ends is None:
            return None
        before, after = (_called(u, u.resolve(_plain(symbol))) for u in ends)
        if len(before) != 1 or len(after) != 1:
            return None
        return frozenset(p.name for p in after[0].parameters) - {p.name for p in before[0].parameters}


def last_signature(functions: Sequence[Function], method: bool) -> Signature:
    """Return the signature of a function by its last definition, that of a method without its object."""
    return function_signatures(functions[-1:], method and not is_static(functions[-1]))[0]


def _plain(symbol: str) -> str:
    return symbol.removesuffix(".__init__")


def _called(universe: Universe, symbol: Symbol | None) -> Sequence[Signature]:
    """The signatures of calling a symbol: a class, a function, or a method of an object."""
    if symbol is None:
        return ()
    if symbol.kind == "class":
        made = constructor(universe, symbol)
        return made[0] if made is not None else ()
    functions = symbol.functions
    method = "." in symbol.qualname
    return function_signatures(functions, method and bool(functions) and not is_static(functions[-1]))
