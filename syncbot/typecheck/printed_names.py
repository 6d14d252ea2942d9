"""From the names that checkers print to definitions in both upstream trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from syncbot.api.expressions import dotted
from syncbot.api.methods import is_static
from syncbot.api.signatures import Arguments, constructor
from syncbot.api.symbols import Member, Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.api.usage import UsageIndex, UsageTables
from syncbot.contracts.attributes.removed_bases import from_lost_base
from syncbot.contracts.own_replacements import binding, reaches_own, stand_ins_of
from syncbot.contracts.sources import Backend
from syncbot.contracts.unreached.shadowing import Shadows, StandIn
from syncbot.typecheck.diagnostic_places import Place
from syncbot.typecheck.printed_classes import PrintedClasses
from syncbot.typecheck.printed_signatures import Printed, of_function
from syncbot.upstream.git_repository import GitRepository

_CLASS = re.compile(rb"^(?:[ \t]*)class[ \t]+(\w+)", re.MULTILINE)
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\(")
_TYPE_ARGUMENTS = re.compile(r"\[[^\[\]]*\]")
_NOT_UPSTREAM = {
    "object",
    "None",
    "NoneType",
    "Unknown",
    "Any",
    "type",
    "AlwaysFalsy",
    "AlwaysTruthy",
    "str",
    "int",
}


@dataclass(frozen=True, slots=True)
class Caller:
    """A call: the module, the scope around it, what stands before the name, and the arguments."""

    module: str
    scope: str
    receiver: str
    arguments: Arguments


class Names:
    """The old and the new upstream, each seen together with the backend."""

    def __init__(
        self,
        old: Universe,
        new: Universe,
        old_tree: ModuleTree,
        new_tree: ModuleTree,
        own: ModuleTree,
        backend: Backend,
        usage: UsageIndex,
        repository: GitRepository,
    ) -> None:
        self.old, self.new = old, new
        self.old_tree, self.new_tree = old_tree, new_tree
        self._own = own
        self._backend = backend
        self._usage = usage
        self._repository = repository

    def is_upstream(self, dotted: str) -> bool:
        """Whether a dotted name belongs to the upstream."""
        return self.old_tree.owns(dotted) or self.new_tree.owns(dotted)

    def here(self, place: Place) -> str | None:
        """The dotted name of the class around a place."""
        return f"{place.file.module}.{'.'.join(place.scope)}" if place.scope else None

    def classes(self, printed: str, place: Place) -> list[str]:
        """The dotted names of the classes in a printed type; what is no class of the trees is left out."""
        if "Self@" in printed or printed.startswith("<super"):
            here = self.here(place)
            return [here] if here else []
        plain = printed
        while (shorter := _TYPE_ARGUMENTS.sub("", plain)) != plain:
            plain = shorter
        found = []
        for part in re.split(r"\s*[|&,]\s*|`", plain):
            word = part.strip(" ()~").removeprefix("type[").removesuffix("]").removeprefix("Self@")
            if re.fullmatch(r"[\w.]+", word) and word not in _NOT_UPSTREAM:
                name = self.class_named(word, place)
                if name is not None and name not in found:
                    found.append(name)
        return found

    def class_named(self, printed: str, place: Place) -> str | None:
        """The dotted name of the class a checker prints."""
        return self._classes.named(printed, place.file.module)

    def class_in(self, universe: Universe, name: str) -> Symbol | None:
        """The class in one of the universes, also where it has moved."""
        return self._classes.in_one(universe, name)

    def members(self, class_name: str, name: str, skip: int = 0) -> tuple[Member | None, Member | None]:
        """The member of a class with the old and with the new upstream."""
        before, after = self.class_in(self.old, class_name), self.class_in(self.new, class_name)
        return (
            self.old.member(before, name, skip) if before else None,
            self.new.member(after, name, skip) if after else None,
        )

    def through_lost_base(self, class_name: str, member: Member) -> bool:
        """Whether a class had a member only through a base that the new upstream lacks altogether."""
        class_ = self.class_in(self.old, class_name)
        return class_ is not None and from_lost_base(
            class_,
            member.owner,
            self.old,
            lambda name: self.class_in(self.new, name) is None,
            self.is_upstream,
        )

    def function(self, universe: Universe, dotted: str) -> Printed | None:
        """The signature of a function, method or class by dotted name, without the receiver."""
        owner_name, _, last = dotted.rpartition(".")
        owner = universe.resolve(owner_name) or self.class_in(universe, owner_name)
        if owner is not None and owner.kind == "class":
            member = universe.member(owner, last)
            if member is not None and member.functions:
                chosen = member.functions[-1]
                return of_function(chosen, bound=not is_static(chosen))
            if last in ("__init__", "__new__"):
                return self._constructor(universe, owner)
            return None
        symbol = universe.resolve(dotted)
        if symbol is None:
            return None
        if symbol.kind == "class":
            return self._constructor(universe, symbol)
        return of_function(symbol.functions[-1], bound=False) if symbol.functions else None

    def parameter_home(self, dotted: str, name: str) -> str:
        """A parameter's name to report: the field of the class that declares it, else the function."""
        owner_name, _, last = dotted.rpartition(".")
        if last not in ("__init__", "__new__"):
            return dotted
        for universe in (self.new, self.old):
            owner = universe.resolve(owner_name)
            if owner is not None and owner.kind == "class":
                method = universe.member(owner, "__init__")
                if method is not None and method.functions:
                    return f"{method.owner.name}.__init__" if self.is_upstream(method.owner.name) else dotted
                field = universe.member(owner, name)
                if field is not None and self.is_upstream(field.owner.name):
                    return f"{field.owner.name}.__init__"
        return dotted

    def overrider(self, method: str) -> str | None:
        """A class of the backend that derives from the method's class and has the method itself."""
        owner, _, name = method.rpartition(".")
        if name.startswith("__"):
            return None
        for own in self._defining.get(name, ()):
            symbol = self.new.resolve(own)
            if symbol is not None and any(c.name == owner for c in self.new.lineage(symbol).classes[1:]):
                return own
        return None

    def own_behind(self, receiver: ast.expr, member: str) -> str | None:
        """The backend's class that has a member and of which the backend makes what ``receiver`` (``….tool``)
        names: a checker goes by the declared class."""
        if not isinstance(receiver, ast.Attribute):
            return None
        for module, written in self._made.get(receiver.attr, ()):
            found = self.new.local(module, written)
            if found is None or found.kind != "class" or self.is_upstream(found.module):
                continue
            if self.new.member(found, member) is not None:
                return found.name
        return None

    def callers(self, function: str) -> Iterator[Caller]:
        """The calls ``function(…)`` and ``….function(…)`` in the new upstream, but those of ``super()``."""
        for module, call in self._calls.calls(tuple(self.new_tree.modules), function):
            if not call.callee.startswith("super()"):
                arguments = Arguments(call.positional, call.keywords, call.starred, call.starred)
                yield Caller(module, call.scope, call.callee.rpartition(".")[0], arguments)

    def runs(self, caller: Caller) -> bool:
        """Whether a caller runs where the backend does."""
        return not self.shadows.hide(caller.module, caller.scope)

    def reaches_own(self, place: Place, callee: str) -> bool:
        """Whether the call of an upstream function at a place reaches what the backend assigned to it."""
        own = self._binding
        symbol = callee.removesuffix(".__init__")
        aliases: tuple[str, ...] = ()
        for call in place.calls():
            text = dotted(call.func)
            found = self.old.local(place.file.module, text) if text is not None else None
            if found is not None and found.name == symbol and text is not None and "." not in text:
                aliases = tuple(f"{module}.{found.qualname}" for module in found.via)
        return callee in own or reaches_own(own, symbol, aliases, place.file.module)

    @cached_property
    def shadows(self) -> Shadows:
        """Which upstream functions never run where the backend does."""
        return Shadows(
            self._own,
            UsageTables(self._own, self._usage),
            self.new,
            self._stand_ins,
            self.new_tree,
            self._calls,
            lambda name: self.new.resolve(name) or self.class_in(self.new, name),
            self._backend.test_modules,
        )

    @cached_property
    def _stand_ins(self) -> dict[str, StandIn]:
        return stand_ins_of(self._backend, self.old, self.old_tree.packages)

    @cached_property
    def _binding(self) -> dict[str, StandIn]:
        return binding(self._stand_ins, self.old)

    @cached_property
    def _calls(self) -> UsageTables:
        return UsageTables(self.new_tree, self._usage)

    def definitions(self, function: str) -> int:
        """How often the new upstream defines a function or method of that name."""
        needle = f"def {function}(".encode()
        return sum(text.count(needle) for text in self._texts.values())

    @cached_property
    def _defining(self) -> dict[str, list[str]]:
        """Method name → classes of the backend that define it."""
        found: dict[str, list[str]] = {}
        for module in self._own.modules:
            table = self._own.table(module) if module not in self._backend.test_modules else None
            for node in table.classes if table is not None else ():
                for name in {function.name for function in node.functions}:
                    found.setdefault(name, []).append(f"{module}.{node.name}")
        return found

    @cached_property
    def _made(self) -> dict[str, list[tuple[str, str]]]:
        """Attribute name → what classes of the backend call to set it, each with the module."""
        found: dict[str, list[tuple[str, str]]] = {}
        for module in self._own.modules:
            table = self._own.table(module)
            for node in table.classes if table is not None else ():
                for attribute in node.attributes:
                    called = _CALLED.match(attribute.value or "")
                    if called is not None:
                        found.setdefault(attribute.name, []).append((module, called[1]))
        return found

    @cached_property
    def _classes(self) -> PrintedClasses:
        homes: dict[str, dict[str, None]] = {}
        for sources in (self._texts.items(), self._sources(self.old_tree)):
            for module, text in sources:
                for found in _CLASS.findall(text):
                    homes.setdefault(found.decode(), {})[module] = None
        places = {name: tuple(modules) for name, modules in homes.items()}
        return PrintedClasses(self.old, self.new, (self.old_tree, self.new_tree), self._own, places)

    @cached_property
    def _texts(self) -> dict[str, bytes]:
        """Module → source, of the new upstream."""
        return dict(self._sources(self.new_tree))

    def _sources(self, tree: ModuleTree) -> Iterator[tuple[str, bytes]]:
        modules = {module: blob for module, (_, blob) in tree.modules.items()}
        contents = dict(self._repository.blobs(dict.fromkeys(modules.values())))
        return ((module, contents[blob]) for module, blob in modules.items())

    def _constructor(self, universe: Universe, symbol: Symbol) -> Printed | None:
        found = constructor(universe, symbol)
        return Printed(found[0][-1].parameters) if found and found[0] else None
