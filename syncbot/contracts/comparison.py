"""Two upstream trees side by side, as the judges of contracts see them."""

from __future__ import annotations

import builtins
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from packaging.version import Version

from syncbot.api.extract import body_fingerprint
from syncbot.api.model import Call, Function
from syncbot.api.names import DefinedNames
from syncbot.api.options import Options
from syncbot.api.symbols import Member, Symbol
from syncbot.api.tree import BlobValues, ModuleTree, looks_at_all
from syncbot.api.universe import Universe
from syncbot.api.usage import UsageTables
from syncbot.contracts.annotation_differences import named, only_head, other_type
from syncbot.contracts.calls.variable_calls import of_variables
from syncbot.contracts.conditions.version_helpers import VersionHelpers
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.needed_packages import NeededPackages
from syncbot.contracts.relocation import Relocation, Relocations
from syncbot.contracts.spelled_names import is_gone, is_spelled
from syncbot.contracts.successors import Successors
from syncbot.contracts.unreached.shadowing import Shadows, StandIn

# So many names are looked up one by one, before those of all modules are counted.
_SINGLY = 20

_ASKED = re.compile(rb"\(\s*[\"'](\w+)[\"'],\s*(?:kw)?args\s*=")

# Bodies that say nothing of what a method is for, without their documentation.
_SAYING_LITTLE = {
    body_fingerprint(text)
    for text in (b"pass", b"...", b"return", b"raiseNotImplementedError", b"raiseNotImplementedError()")
} | {
    body_fingerprint(b"return" + value)
    for value in (b"None", b"True", b"False", b"0", b"1", b"[]", b"{}", b"()", b'""', b"''")
}

# An annotation, and the module it is written in.
Annotated = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two trees, and its modules that the other one has not, or has otherwise."""

    universe: Universe
    tree: ModuleTree
    usage: UsageTables
    inference: Inference
    differing: tuple[str, ...]


@dataclass
class Comparison:
    """The old and the new upstream tree, each with the backend's. In the new one the backend's imports of
    moved names lead to their new home. ``replaced`` is what the backend assigns onto upstream's names,
    ``tests`` are its modules that only its tests run, ``loaded`` the names that other programs load;
    ``versions`` are those of the two trees, None for a commit that is no release, ``helpers`` gives its
    functions that ask for one; ``partly_required`` gives what the new tree requires in some installs only,
    ``required_here`` is what the backend does; ``failing`` remembers of modules of its tests what neither has
    that they import; empty for nothing."""

    old: Universe
    new: Universe
    old_tree: ModuleTree
    new_tree: ModuleTree
    old_usage: UsageTables
    new_usage: UsageTables
    old_names: DefinedNames
    new_names: DefinedNames
    own_tree: ModuleTree
    own_usage: UsageTables
    options: BlobValues[Options]
    replaced: Mapping[str, StandIn] = field(default_factory=dict)
    tests: frozenset[str] = frozenset()
    loaded: frozenset[str] = frozenset()
    versions: tuple[Version | None, Version | None] = (None, None)
    helpers: Callable[[], VersionHelpers] = tuple
    partly_required: Callable[[], Collection[str]] = frozenset
    required_here: frozenset[str] = frozenset()
    failing: dict[str, str] = field(default_factory=dict)
    _moves: dict[str, tuple[Relocation | None, frozenset[str]]] = field(default_factory=dict)
    _mentioning: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    _singly: int = _SINGLY

    def __post_init__(self) -> None:
        self.new.relocate = self._new_name

    def close(self) -> None:
        """Let go of what holds this comparison in turn: Python's cycle collector rests meanwhile."""
        self.new.close()
        for name in ("_shadows", "successors", "_relocations"):
            self.__dict__.pop(name, None)

    def now(self, name: str) -> Symbol | None:
        """Return what a dotted name of the old tree is in the new one, wherever it went."""
        found = self.new.resolve(name)
        if self.vanished(found) and (moved := self._new_name(name)) is not None:
            return self.new.resolve(moved)
        return found

    def vanished(self, found: Symbol | None, before: Symbol | None = None) -> bool:
        """Whether a name is gone from the new tree, where it leads to ``found``, and the module that had it
        ``before`` spells it no more."""
        return is_gone(self.new, found) and not (before is not None and is_spelled(self.new, before))

    def lost(self, name: str) -> bool:
        """Whether the new tree lacks what a dotted name of the old one is, wherever that might have gone."""
        return self.vanished(self.now(name))

    def is_upstream(self, name: str) -> bool:
        """Whether a dotted name was upstream's."""
        return self.old.tree_of(name) is self.old_tree

    @cached_property
    def in_old(self) -> Inference:
        """Return what expressions of the old tree are."""
        return Inference(self.old)

    @cached_property
    def in_new(self) -> Inference:
        """Return what expressions of the new tree are."""
        return Inference(self.new)

    @property
    def shadows(self) -> Shadows:
        """Which methods of the new tree never run where the backend does."""
        self._ask_all_of_own()
        return self._shadows

    @cached_property
    def _shadows(self) -> Shadows:
        trees = (self.own_tree, self.own_usage, self.new, self.replaced, self.new_tree, self.new_usage)
        return Shadows(*trees, self.now, self.tests)

    @property
    def needed_packages(self) -> NeededPackages:
        """Which packages of others the backend's imports need newly."""
        self._ask_all_of_own()
        return self._needed_packages

    def _ask_all_of_own(self) -> None:
        """Count a look at all modules of the backend: what is remembered may have been told from any."""
        self.own_tree.note(looks_at_all(self.own_tree.packages))

    @cached_property
    def _needed_packages(self) -> NeededPackages:
        trees = (self.old_tree, self.new_tree, self.own_tree)
        return NeededPackages(*trees, self.tests, self.partly_required, self.required_here)

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """The upstream modules that differ between the trees, new ones included, removed ones not."""
        before, after = self.old_tree.modules, self.new_tree.modules
        return tuple(sorted(m for m, entry in after.items() if m not in before or before[m][1] != entry[1]))

    @cached_property
    def removed(self) -> tuple[str, ...]:
        """The upstream modules that the new tree lacks."""
        return tuple(sorted(m for m in self.old_tree.modules if m not in self.new_tree.modules))

    def side(self, *, old: bool) -> Side:
        """The old side, or the new one."""
        if old:
            differing = (*self.changed, *self.removed)
            return Side(self.old, self.old_tree, self.old_usage, self.in_old, differing)
        return Side(self.new, self.new_tree, self.new_usage, self.in_new, self.changed)

    def relocation(self, symbol: str) -> Relocation | None:
        """Where a module-level name or a module that the new tree lacks went, None where nobody can tell."""
        if symbol not in self._moves:
            self._moves[symbol] = None, frozenset()
            seen = self.own_tree.start_recording()
            try:
                moved = self._relocations.of(symbol)
            finally:
                self.own_tree.stop_recording(seen)
            self._moves[symbol] = moved, frozenset(seen)
        moved, looks = self._moves[symbol]
        self.own_tree.note(looks)
        return moved

    def _new_name(self, symbol: str) -> str | None:
        moved = self.relocation(symbol)
        return moved.name if moved is not None else None

    @cached_property
    def _relocations(self) -> Relocations:
        trees = (self.old_tree, self.new_tree)
        return Relocations(self.old, self.new, *trees, self.changed, self.own_tree)

    @cached_property
    def successors(self) -> Successors:
        """Which classes stand where those stood that are gone."""
        trees = (self.old_tree, self.new_tree)
        return Successors(self.old, self.new, *trees, self.changed)

    def unfit(self, symbol: str) -> list[str]:
        """The new classes of a vanished class's name of which none takes its place."""
        return self._relocations.unfit(symbol)

    def takes_the_place(self, old: str, new: str) -> bool:
        """Whether a name of the new tree may stand for one of the old tree."""
        return self._relocations.stands_for(old, new)

    def mentioning(self, text: str) -> tuple[list[str], list[str]]:
        """The changed modules with a text, in the old tree and the new one; this is no look at them."""
        if text not in self._mentioning:
            self._mentioning[text] = (
                self.old_tree.mentioning((*self.changed, *self.removed), text),
                self.new_tree.mentioning(self.changed, text),
            )
        return self._mentioning[text]

    def vanished_name(self, name: str) -> bool:
        """Whether at most half as many modules of the new tree define a method or attribute of that name."""
        before, after = self._defining(name)
        if not before or 2 * after > before:
            return False
        still = len(self.old_names.homes(self.old_tree.mentioning(self._same, name), name))
        return 2 * (after + still) <= before + still

    def _defining(self, name: str) -> tuple[int, int]:
        """How many of the modules that differ define a name: in the old tree, in the new one."""
        if self._singly:
            self._singly -= 1
            before, after = self.mentioning(name)
            return self.old_names.count(before, name), self.new_names.count(after, name)
        return self._counts[0][name], self._counts[1][name]

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """How many of the modules that differ define each name: in the old tree, in the new one."""
        before = self.old_names.counted((*self.changed, *self.removed))
        return before, self.new_names.counted(self.changed)

    @cached_property
    def calls_of_variables(self) -> tuple[list[tuple[str, Call]], list[tuple[str, Call]]]:
        """The calls of local variables with several arguments in the modules that differ: in the old tree, in
        the new one."""
        before = of_variables(self.old_usage, self.old, (*self.changed, *self.removed))
        return list(before), list(of_variables(self.new_usage, self.new, self.changed))

    @cached_property
    def asked_by_name(self) -> frozenset[str]:
        """The names that changed modules hand on as texts, with arguments beside: methods to be called."""
        modules = self.mentioning("args=")[1]
        texts = (self.new_tree.source(module) or b"" for module in modules)
        return frozenset(name.decode() for text in texts for name in _ASKED.findall(text))

    @cached_property
    def _same(self) -> tuple[str, ...]:
        """The upstream modules that are the same in both trees."""
        return tuple(sorted(self.old_tree.modules.keys() - {*self.changed, *self.removed}))

    def other_type(self, old: Annotated, new: Annotated) -> str | None:
        """Return what :func:`annotation_differences.other_type` says, where no name is known to be an alias;
        of two classes what stands in their brackets may be one."""
        if not self._has_alias(old, new):
            return other_type(old[1], new[1])
        heads = [(module, only_head(text)) for module, text in (old, new)]
        if any(head is None for _, head in heads) or self._has_alias(*heads):
            return None
        return "type" if other_type(heads[0][1], heads[1][1]) == "type" else None

    def _has_alias(self, old: Annotated, new: Annotated) -> bool:
        for universe, (module, text) in ((self.old, old), (self.new, new)):
            found = (universe.local(module, name) for name in named(text))
            if any(symbol is not None and symbol.kind == "variable" for symbol in found):
                return True
        return False

    def unseen_base(self, old: Symbol, new: Symbol, name: str) -> str | None:
        """The base that may still give a class a member unseen: a new one of another package, or one that is
        made when the program runs, where a class that this one derived from still has the member."""
        known = set(self.old.lineage(old).external)
        unseen = [base for base in self.new.lineage(new).external if base not in known]
        foreign = (base for base in unseen if self._is_foreign(base))
        if (other := next(foreign, None)) is not None:
            return other
        # What a module itself makes and gives a name is written without one.
        own = (b for b in unseen if self.new_tree.owns(b) or not ("." in b or hasattr(builtins, b)))
        ancestors = (self.now(c.name) for c in self.old.lineage(old).classes[1:])
        still = (c is not None and self.new.member(c, name) is not None for c in ancestors)
        made = next(own, None)
        return made if made is not None and any(still) else None

    def _is_foreign(self, base: str) -> bool:
        """Whether a base is a class of another package that is not Python's own."""
        package, dot, _ = base.partition(".")
        return bool(dot) and package not in sys.stdlib_module_names and self.new.tree_of(base) is None

    def renamed_member(self, member: Member) -> str | None:
        """The name that a vanished method has now, if it is decorated as it was."""
        now = self.same_body(member)
        same = now is not None and any(now.decorators == f.decorators for f in member.functions)
        return now.name if now is not None and same else None

    def same_body(self, member: Member) -> Function | None:
        """Return what a vanished method is now: the same body, which does something, under another name in
        its class, with the same parameters and annotation."""
        owner = self.new.resolve(member.owner.name)
        node = owner.class_ if owner is not None else None
        before = member.owner.class_
        if node is None or before is None:
            return None
        bodies = {_body(f) for f in member.functions if f.body and f.end_line - f.line >= 2}
        known = {f.name for f in before.functions}
        new = (f for f in node.functions if f.name not in known and not f.unimplemented)
        alike = (f for f in new if _body(f) in bodies)
        return next(
            (f for f in alike if f.body not in _SAYING_LITTLE or _share_a_word(f.name, member.name)), None
        )


def _share_a_word(one: str, other: str) -> bool:
    """Whether two names have a telling word in common."""
    return any(len(word) > 3 for word in {*one.split("_")} & {*other.split("_")})


def _body(function: Function) -> tuple[str | None, ...]:
    return (function.body, function.annotation, *(p.name for p in function.parameters))
