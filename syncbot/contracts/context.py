"""The surroundings of one node of a backend module: names, guards, the class and function it stands in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar, cast

from syncbot.api.expressions import FunctionNode
from syncbot.api.local_classes import table_name
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.configured_facts import NOTHING, Knowledge
from syncbot.contracts.inference.adopted_functions import Adoption
from syncbot.contracts.inference.branched_names import given_in_branches
from syncbot.contracts.inference.calls_in_module import OwnCall
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.narrowing import is_told_outside, narrowed, stays_in_branch
from syncbot.contracts.inference.placed_functions import Placing
from syncbot.contracts.inference.values import Scope, Value
from syncbot.contracts.model import Location, Place
from syncbot.contracts.sources import SourceFile

N = TypeVar("N", bound=ast.AST)
T = TypeVar("T")

# A scope with the conditions around, and the names of several values that keep theirs in a branch.
_NarrowedBy = tuple[int, tuple[str, ...], int, frozenset[str]]
_narrowed_by = lru_cache(maxsize=4096)(narrowed)


@dataclass(frozen=True, slots=True)
class _Look:
    """The last look that several finders take, with where it was taken."""

    node: ast.AST
    look: object
    scope: Scope
    guards: tuple[str, ...]
    found: tuple[object, ...]

    def stands_in(self, context: Context) -> bool:
        return self.scope is context.scope and self.guards == context.guards


@dataclass
class Context:
    """The questions that a finder may ask: where it stands, what names mean here, which tree is the old
    upstream."""

    file: SourceFile
    universe: Universe
    upstream: tuple[str, ...]
    inference: Inference
    scope: Scope
    knowledge: Knowledge = NOTHING
    adopted: Mapping[FunctionNode, tuple[Adoption, ...]] = field(default_factory=dict)
    placed: Mapping[str, Placing] = field(default_factory=dict)
    calls: Mapping[str, Sequence[OwnCall]] = field(default_factory=dict)
    qualname: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    # So many of the last guards are conditions in the expression around: no name is given a value since.
    inline: int = 0
    parents: list[ast.AST] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)
    _looked: _Look | None = None
    _narrowed: dict[_NarrowedBy, tuple[Scope, Scope]] = field(default_factory=dict)
    _inferred: dict[tuple[int, int], tuple[Scope, Value | None]] = field(default_factory=dict)
    _alternatives: dict[tuple[int, int], tuple[Scope, tuple[Symbol, ...]]] = field(default_factory=dict)

    @property
    def own_names(self) -> frozenset[str]:
        """Names that the backend itself defines."""
        return self.inference.own_names

    def infer(self, node: ast.expr) -> Value | None:
        """Return what an expression is here: asked by many finders, answered once."""
        scope = self._narrowed_scope() if self.guards else self.scope
        known = self._inferred.get((id(node), id(scope)))
        return known[1] if known is not None else self._inferred_in(scope, node)

    def _inferred_in(self, scope: Scope, node: ast.expr) -> Value | None:
        key = (id(node), id(scope))
        known = self._inferred.get(key)
        if known is None:
            # What is left of the dot is asked for as well, and answered once too.
            value = (
                self.inference.infer(node, scope)
                if not isinstance(node, ast.Attribute)
                else self.inference.attribute_in(node, scope, lambda: self._inferred_in(scope, node.value))
            )
            # The scope is kept with its answer: no other one can have its identity meanwhile.
            known = self._inferred[key] = (scope, value)
        return known[1]

    def alternatives(self, node: ast.expr) -> tuple[Symbol, ...]:
        """The classes of a union that an expression is declared with here, or of whose objects a variable is
        given one in each of several branches."""
        scope = self._narrowed_scope()
        key = (id(node), id(scope))
        known = self._alternatives.get(key)
        if known is None:
            known = self._alternatives[key] = (scope, self._alternatives_in(scope, node))
        return known[1]

    def told_several(self, node: ast.expr) -> tuple[Symbol, ...]:
        """The classes that a condition around leaves to a name, where it names several."""
        return self.inference.told_several(node, self._narrowed_scope())

    def _alternatives_in(self, scope: Scope, node: ast.expr) -> tuple[Symbol, ...]:
        if not isinstance(node, ast.Attribute):
            given = self._given_classes(node) if isinstance(node, ast.Name) else ()
            return given or self.inference.alternatives(node, scope)
        if told := self.inference.told_several(node, scope):
            return told
        base = self._inferred_in(scope, node.value)
        return self.inference.alternatives_in(base, node.attr) if base is not None else ()

    def _given_classes(self, node: ast.Name) -> tuple[Symbol, ...]:
        if self.function is None or len(self.scope.values.get(node.id, ())) < 2:
            return ()
        alone = given_in_branches(node.id, self.function)
        return self.inference.given_classes(node, self.scope) if alone else ()

    def _narrowed_scope(self) -> Scope:
        """The names here, with what the conditions around say of them."""
        if not self.guards:
            return self.scope
        begun = len(self.guards) - self.inline
        above = _narrowed_by(self.guards[:begun])
        several = [n for n in above if len(self.scope.values.get(n, ())) > 1]
        kept = frozenset(n for n in several if stays_in_branch(n, self.parents)) if several else frozenset()
        key = (id(self.scope), self.guards, self.inline, kept)
        known = self._narrowed.get(key)
        if known is None:
            hidden = {n for n in above if n in self.scope.opaque and is_told_outside(n, self.parents)}
            told = {n: c for n, c in above.items() if n not in hidden and (n in kept or n not in several)}
            told |= _narrowed_by(self.guards[begun:])
            inner = Scope(self.file.module, self.scope, narrowed=told) if told else self.scope
            known = self._narrowed[key] = (self.scope, inner)
        return known[1]

    def at(self, node: N, look: Callable[[N, Context], Iterable[T]]) -> tuple[T, ...]:
        """Return what a look at a node gives here: several finders ask for it, one after the other."""
        last = self._looked
        if last is None or last.node is not node or last.look is not look or not last.stands_in(self):
            last = self._looked = _Look(node, look, self.scope, self.guards, tuple(look(node, self)))
        return cast("tuple[T, ...]", last.found)

    def aside(self, guards: Sequence[str]) -> Context:
        """The same place on further conditions, for expressions that are made there and stand in no file: no
        answer is kept for what may be gone when another expression has its identity."""
        return replace(self, guards=(*self.guards, *guards), _inferred={}, _alternatives={}, _looked=None)

    def once(self, key: object) -> bool:
        """Whether a finder asks this of the file for the first time."""
        first = key not in self._seen
        self._seen.add(key)
        return first

    def is_upstream(self, name: str) -> bool:
        """Whether a dotted name belongs to the followed upstream."""
        return self.universe.belongs(name, self.upstream)

    def place(self, node: ast.AST) -> Place:
        """Where a contract found at ``node`` stands."""
        return self.line(getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)

    def line(self, line: int, column: int = 1) -> Place:
        """The place at a line of the module, with what is around the current node."""
        location = Location(self.file.path, line, column)
        return Place(location, self.file.module, ".".join(self.qualname), self.guards)

    @property
    def parent(self) -> ast.AST | None:
        """The node around the one being looked at."""
        return self.parents[-1] if self.parents else None

    @property
    def function(self) -> FunctionNode | None:
        """The innermost function around the node."""
        return next((p for p in reversed(self.parents) if isinstance(p, FunctionNode)), None)

    @property
    def class_around(self) -> ast.ClassDef | None:
        """The class in whose method the node stands, at any depth."""
        around = reversed(self.parents)
        inside = any(isinstance(p, FunctionNode) for p in self.parents)
        return next((p for p in around if isinstance(p, ast.ClassDef)), None) if inside else None

    def own_class(self, *inside: str) -> Symbol | None:
        """The class of the module in whose body the node stands, or that one ``inside`` of what is around."""
        if not inside and not isinstance(self.parent, ast.ClassDef):
            return None
        return self.class_named((*self.qualname, *inside))

    def class_named(self, qualname: Sequence[str]) -> Symbol | None:
        """The class of that qualified name defined in this module, by a function of it too."""
        for name in (".".join(qualname), table_name(qualname)):
            found = self.universe.local(self.file.module, name)
            if found is not None and found.kind == "class":
                return found
        return None
