"""Upstream code that never runs where the backend does: overridden, replaced, or called by such code."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from syncbot.api.model import Class, Function
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.api.usage import UsageTables
from syncbot.contracts.unreached.backend_only_objects import World, held_where_replaced, made_by_own_alone
from syncbot.contracts.unreached.chosen_by_name import never_chosen
from syncbot.contracts.unreached.named_upstream import others_naming
from syncbot.contracts.unreached.templates import is_template
from syncbot.contracts.unreached.used_names import asks_for, classes_deriving, hands_on

#: A name that more classes and modules define is called by too many for its callers to be told.
_RARE = 4
#: So many callers of callers are followed.
_STEPS = 3
#: Receivers by which a method calls itself.
_ITSELF = {"", "self", "cls", "super()"}
#: Decorators that do not hand on what they decorate.
_PLAIN = re.compile(
    r"(?:\w+\.)*(?:dataclass|final|runtime_checkable|cache|lru_cache|total_ordering)(?:\(.*\))?"
)


@dataclass(frozen=True, slots=True)
class StandIn:
    """The value that the backend assigns onto an upstream name: ``own`` of the backend, in its module
    ``module``."""

    own: str
    module: str


@dataclass
class Shadows:
    """The upstream functions that the backend's own stand for. ``own`` and ``usage`` are of the backend,
    ``tree`` and ``upstream`` of upstream. ``replaced`` maps upstream's names to what the backend assigns onto
    them; ``now`` tells what such a name leads to; ``tests`` are modules that only tests run."""

    own: ModuleTree
    usage: UsageTables
    universe: Universe
    replaced: Mapping[str, StandIn]
    tree: ModuleTree
    upstream: UsageTables
    now: Callable[[str], Symbol | None]
    tests: Collection[str] = ()
    _told: dict[tuple[str, str], bool] = field(default_factory=dict)
    _homes: dict[str, str] = field(default_factory=dict)
    _bases: dict[str, list[Symbol]] = field(default_factory=dict)
    _definitions: dict[str, Sequence[tuple[str, Symbol]]] = field(default_factory=dict)
    _lineages: dict[str, frozenset[str]] = field(default_factory=dict)

    def _once(self, question: str, name: str, answer: Callable[[], bool]) -> bool:
        """The answer to a question about a name, which stays what it was told first."""
        if (question, name) not in self._told:
            self._told[question, name] = answer()
        return self._told[question, name]

    def hide(self, module: str, scope: str, steps: int = _STEPS) -> bool:
        """Whether the upstream code in a scope (``Class.method`` …) never runs: the backend overrides or
        replaces it without calling it, only code that never runs calls it, or other code is made from it."""
        if self._once("template", module, lambda: is_template(module, self.tree)):
            return True
        parts = scope.split(".")
        for index in range(len(parts) - 1, 0, -1):
            found = self.universe.local(module, ".".join(parts[:index]))
            if found is not None and found.kind == "class":
                return (
                    found.name in self.never_chosen
                    or self.hides(found, parts[index])
                    or self._only_by_hidden(found, parts[index], steps)
                    or self._only_named_by_hidden(module, ".".join(parts[:index]), steps)
                )
        return self.gives_way(f"{module}.{parts[0]}") or self._only_named_by_hidden(module, parts[0], steps)

    @cached_property
    def never_chosen(self) -> frozenset[str]:
        """The classes that options name, where the backend has its own in their place."""
        return never_chosen(self.own, self.tree, self.universe, self.tests)

    def are_made_by_own(self, class_: Symbol) -> bool:
        """Whether the objects of a class of the backend are made by the backend alone."""
        replaced = {name: (stand_in.own, stand_in.module) for name, stand_in in self.replaced.items()}
        world = World(self.own, self.tree, self.universe, self.tests, replaced)
        return self._once("made", class_.name, lambda: made_by_own_alone(class_, world))

    def are_held_by_own(self, class_: Symbol, method: str) -> bool:
        """Whether the objects of a class are called by the backend's own methods of that name alone."""
        world = World(self.own, self.tree, self.universe, self.tests)
        name = f"{class_.name}.{method}"
        return self._once("held", name, lambda: held_where_replaced(class_, method, world, self))

    def hides(self, class_: Symbol, method: str) -> bool:
        """Whether a method of a class gives way to one of the backend that does not call it."""
        name = f"{class_.name}.{method}"
        return self._once("hides", name, lambda: self.gives_way(name) or self._overrides(class_, method))

    def _overrides(self, class_: Symbol, method: str) -> bool:
        return any(
            # What derives from the class itself stands for it alone, or calls it.
            self._stands_for(module, own, class_, method)
            or (not self._derives(own, class_) and self._is_of_its_kind(own, class_))
            for module, own in self._defining(method)
        )

    def _derives(self, own: Symbol, class_: Symbol) -> bool:
        return class_.name in self._above(own)

    def _above(self, own: Symbol) -> frozenset[str]:
        """The classes that one of the backend derives from."""
        if own.name not in self._lineages:
            self._lineages[own.name] = frozenset(c.name for c in self.universe.lineage(own).classes[1:])
        return self._lineages[own.name]

    def gives_way(self, name: str) -> bool:
        """Whether the backend assigns its own onto a dotted name and does not go back to what was there."""
        own = self._assigned(name)
        return own is not None and not self._goes_back(own.module, name)

    def takes_the_name(self, name: str) -> str | None:
        """The backend's own class or function that a dotted upstream name means while it runs."""
        own = self._assigned(name)
        return own.own if own is not None else None

    def _assigned(self, name: str) -> StandIn | None:
        """Return what the backend assigns onto a dotted name, wherever that was when the backend was
        written."""
        if name in self.replaced:
            return self.replaced[name]
        owner, _, last = name.rpartition(".")
        known = f"{owner.rpartition('.')[2]}.{last}"
        moved = (n for n in self.replaced if n.endswith(f".{known}"))
        return next((self.replaced[n] for n in moved if self._home(n.rpartition(".")[0]) == owner), None)

    def _home(self, owner: str) -> str:
        if owner not in self._homes:
            found = self.now(owner)
            self._homes[owner] = found.name if found is not None else owner
        return self._homes[owner]

    def _goes_back(self, module: str, name: str) -> bool:
        """Whether a module of the backend reads or calls the name that it assigns onto."""
        owner, _, last = name.rpartition(".")
        read = (owner.rpartition(".")[2], last)
        if any(tuple(chain.split(".")[-2:]) == read for chain in self.usage.chains(module)):
            return True
        return any(call.callee == last for _, call in self.usage.calls((module,), last))

    def _only_by_hidden(self, class_: Symbol, method: str, steps: int) -> bool:
        """Whether calls of a method are seen, and none of them runs where the backend does."""
        key = ("only by hidden", f"{class_.name}.{method}")
        if key in self._told:
            return self._told[key]
        short = class_.qualname.rpartition(".")[2]
        special = method.startswith("__") and method.endswith("__")
        if not steps or special or not self.own.mentioning(self.own.modules, short):
            return False
        # What only calls itself is not reached by that.
        self._told[key] = True
        self._told[key] = self._all_hidden(f"{class_.qualname}.{method}", class_.module, steps)
        return self._told[key]

    def _all_hidden(self, scope: str, home: str, steps: int) -> bool:
        method = scope.rpartition(".")[2]
        if any(True for _ in self.usage.calls(tuple(self.own.modules), method)):
            return False
        if not self._is_told_apart(method):
            return False
        calls = 0
        for module, call in self.upstream.calls(tuple(self.tree.modules), method):
            if (module, call.scope) == (home, scope) and call.callee.rpartition(".")[0] not in _ITSELF:
                # It hands on to a method of the same name, of what its object holds.
                continue
            calls += 1
            if not self.hide(module, call.scope, steps - 1):
                return False
        return calls > 0

    def _only_named_by_hidden(self, module: str, name: str, steps: int) -> bool:
        """Whether code names a class or function, and none of that code runs where the backend does."""
        found = self.universe.local(module, name) if name else None
        if not steps or found is None or found.kind not in ("class", "function"):
            return False
        key = ("only named by hidden", found.name)
        if key not in self._told:
            # What only names itself is not reached by that.
            self._told[key] = True
            self._told[key] = self._all_naming_hidden(found, steps)
        return self._told[key]

    def _all_naming_hidden(self, found: Symbol, steps: int) -> bool:
        short = found.qualname.rpartition(".")[2]
        decorators = [d for n in found.nodes if isinstance(n, Class | Function) for d in n.decorators]
        if not all(_PLAIN.fullmatch(d) for d in decorators):
            return False
        mentioning = self.own.mentioning(self.own.modules, short)
        if any(m not in self.tests and self._may_mean(m, short, found) for m in mentioning):
            return False
        places = others_naming(found, self.tree, self.universe)
        return bool(places) and all(self.hide(p.module, p.scope, steps - 1) for p in places)

    def _may_mean(self, module: str, name: str, found: Symbol) -> bool:
        """Whether a word in a module of the backend may mean something of upstream: not where it is a name of
        the backend's own there, and neither an attribute nor a part of a string."""
        known = self.universe.local(module, name)
        if known is None or known.name == found.name or self.universe.tree_of(known.module) is not self.own:
            return True
        return asks_for(self.own.source(module) or b"", name)

    def _is_told_apart(self, method: str) -> bool:
        """Whether few define a method of that name, and it is nowhere used otherwise than called."""
        return self._once("apart", method, lambda: self._is_rare(method) and not self._is_handed_on(method))

    def _is_rare(self, method: str) -> bool:
        definition = f"def {method}("
        count = 0
        for module in self.tree.mentioning(self.tree.modules, definition):
            count += (self.tree.source(module) or b"").count(definition.encode())
            if count > _RARE:
                return False
        return True

    def _is_handed_on(self, method: str) -> bool:
        modules = self.tree.mentioning(self.tree.modules, method)
        return any(hands_on(self.tree.source(module) or b"", method) for module in modules)

    def _defining(self, method: str) -> Sequence[tuple[str, Symbol]]:
        """The backend's classes that define a method of that name; many of upstream's have one, too."""
        if method not in self._definitions:
            self._definitions[method] = tuple(self._found(method))
        return self._definitions[method]

    def _found(self, method: str) -> Iterator[tuple[str, Symbol]]:
        for module in self.own.mentioning(self.own.modules, f"def {method}("):
            table = self.own.table(module) if module not in self.tests else None
            for name, class_ in _classes(table.classes if table is not None else (), ""):
                if any(f.name == method for f in class_.functions):
                    found = self.universe.local(module, name)
                    if found is not None:
                        yield module, found

    def _stands_for(self, module: str, own: Symbol, class_: Symbol, method: str) -> bool:
        if not self._derives(own, class_):
            return False
        inside = f"{own.qualname}.{method}"
        for _, call in self.usage.calls((module,), method):
            receiver = call.callee.rpartition(".")[0]
            if f"{call.scope}.".startswith(f"{inside}.") and (
                receiver == "super()" or receiver.rpartition(".")[2] == class_.qualname.rpartition(".")[2]
            ):
                return False
        return True

    def _is_of_its_kind(self, own: Symbol, class_: Symbol) -> bool:
        """Whether the backend has its own class of the rare upstream kind that ``class_`` is of."""
        if class_.name not in self._bases:
            classes = self.universe.lineage(class_).classes[1:]
            self._bases[class_.name] = [c for c in classes if self.universe.tree_of(c.module) is self.tree]
        bases = self._bases[class_.name]
        shared = self._above(own) if bases else frozenset[str]()
        if not any(b.name in shared and self._has_few(b) for b in bases):
            return False
        return not self._once("named", class_.name, lambda: self._is_named(class_))

    def _is_named(self, class_: Symbol) -> bool:
        """Whether a module of the backend imports a class or reaches it through its module."""
        short = class_.qualname.rpartition(".")[2]
        return any(
            ((found := self.universe.local(module, short)) is not None and found.name == class_.name)
            or any(chain.endswith(f".{short}") for chain in self.usage.chains(module))
            for module in self.own.mentioning(self.own.modules, short)
        )

    def _has_few(self, base: Symbol) -> bool:
        return self._once("few", base.qualname.rpartition(".")[2], lambda: self._derive_few(base))

    def _derive_few(self, base: Symbol) -> bool:
        short = base.qualname.rpartition(".")[2]
        modules = self.tree.mentioning(self.tree.modules, short)
        return sum(classes_deriving(self.tree.source(module) or b"", short) for module in modules) <= _RARE


def _classes(classes: tuple[Class, ...], outer: str) -> Iterator[tuple[str, Class]]:
    for class_ in classes:
        name = f"{outer}{class_.name}"
        yield name, class_
        yield from _classes(class_.classes, f"{name}.")
