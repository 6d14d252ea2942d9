"""Where vanished upstream names went: moved and renamed symbols are one fact, not a removal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from syncbot.api.model import Attribute, Class, Function, ModuleTable
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree, looks_at_all
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind


@dataclass(frozen=True, slots=True)
class Relocation:
    """Where a vanished name went: its new dotted name, and ``moved`` (same name elsewhere) or ``renamed``."""

    name: str
    how: str

    @property
    def kind(self) -> ChangeKind:
        """The kind of change where the name is one of a module."""
        return ChangeKind.SYMBOL_MOVED if self.how == "moved" else ChangeKind.SYMBOL_RENAMED


@dataclass
class Relocations:
    """Finds new homes of names that the new tree lacks, in modules ``changed``; ``own`` is the backend."""

    old: Universe
    new: Universe
    old_tree: ModuleTree
    new_tree: ModuleTree
    changed: Sequence[str]
    own: ModuleTree

    def of(self, symbol: str) -> Relocation | None:
        """Where a module-level name or a module that the new tree lacks went, None where nobody can tell."""
        if self.old_tree.exists(symbol):
            return self._moved_module(symbol)
        module, _, name = symbol.rpartition(".")
        found = self.old.resolve(symbol)
        if found is not None and found.qualname and found.name != symbol:
            # Reached through a re-export: where it is defined now, if that still stands.
            if (there := self.new.resolve(found.name)) is not None and there.kind != "unknown":
                return Relocation(found.name, "moved")
            module, _, name = found.name.rpartition(".")
        homes = self._new_homes(found, name)
        if not homes and (with_module := self._with_its_module(found)) is not None:
            return with_module
        if homes is None:
            return None
        if homes:
            best = max(homes, key=lambda m: (SequenceMatcher(None, m, module).ratio(), m))
            return Relocation(f"{best}.{name}", "moved")
        return self._renamed(found) if found is not None else None

    def _new_homes(self, found: Symbol | None, name: str) -> list[str] | None:
        """The changed modules that define the same thing newly; None where what they define does not fit."""
        homes = [m for m in self._homes(name) if not self._defined_before(m, name)]
        if found is not None and found.kind == "variable":
            # Constants have common names: only the same value elsewhere is the same one.
            homes = [m for m in homes if self._same_value(found, m, name)]
            return homes if len(homes) == 1 else []
        if found is not None and found.nodes:
            alike = [m for m in homes if self._same_thing(found, m, name)]
            homes = self._fitting(found, alike, name)
            return None if alike and not homes else homes
        return homes

    def _with_its_module(self, found: Symbol | None) -> Relocation | None:
        """Where a class went with its module, where what took the place of that has one of its name with
        something in common: less than what makes classes of unrelated modules one."""
        if found is None or found.kind != "class" or self.new_tree.exists(found.module):
            return None
        module = self._moved_module(found.module)
        name = f"{module.name}.{found.qualname}" if module is not None else ""
        there = self.new.resolve(name) if name else None
        if there is None or there.name != name or not found.class_ or not there.class_:
            return None
        alike = _content(found.class_) & _content(there.class_) and self.takes_the_place(found, there)
        return Relocation(name, "moved") if alike else None

    def _homes(self, name: str) -> list[str]:
        """The changed modules that define a name."""
        found = []
        definitions = (f"class {name}", f"def {name}", f"{name} =", f"{name}:")
        for module in self.new_tree.mentioning(self.changed, *definitions):
            table = self.new_tree.table(module)
            if table is not None and name in defined_names(table):
                found.append(module)
        return found

    def _same_value(self, found: Symbol, module: str, name: str) -> bool:
        there = self.new.local(module, name)
        if there is None or not there.nodes:
            return False
        was, now = found.nodes[-1], there.nodes[-1]
        return isinstance(was, Attribute) and isinstance(now, Attribute) and was.value == now.value

    def _same_thing(self, found: Symbol, module: str, name: str) -> bool:
        """Whether a definition elsewhere is of the same kind, and has more than its name in common."""
        there = self.new.local(module, name)
        if there is None or not there.nodes:
            return False
        was, now = found.nodes[-1], there.nodes[-1]
        if isinstance(was, Function) and isinstance(now, Function):
            before, after = ({p.name for p in f.parameters} for f in (was, now))
            # A function of one word without parameters, such as ``main``, is found in many modules.
            named = not (before or after) and "_" in name.strip("_")
            return was.body == now.body or bool(before & after) or named
        return isinstance(was, Class) and isinstance(now, Class) and _are_like(was, now)

    def unfit(self, symbol: str) -> list[str]:
        """The new classes of a vanished class's name of which none takes its place."""
        found, name = self.old.resolve(symbol), symbol.rpartition(".")[2]
        if found is None or found.kind != "class" or self.of(symbol) is not None:
            return []
        homes = [m for m in self._homes(name) if not self._defined_before(m, name)]
        return [f"{m}.{name}" for m in homes if self._same_thing(found, m, name)]

    def _fitting(self, found: Symbol, homes: list[str], name: str) -> list[str]:
        """The homes that leave no more to subclasses; of several, those with what the backend uses."""
        if found.kind != "class":
            return homes
        fitting = [m for m in homes if self.takes_the_place(found, self.new.local(m, name))]
        if len(homes) == 1:
            return fitting
        used = self._used(found, name)
        return [m for m in fitting if self._has(self.new.local(m, name), used)]

    def takes_the_place(self, old: Symbol | None, new: Symbol | None) -> bool:
        """Whether a new name may stand for an old one: it is there, and leaves no more to subclasses."""
        if new is None or old is None or old.kind != "class" or new.kind != "class":
            return new is not None
        members = ((f.name, self.old.member(old, f.name)) for f in _left_open(self.new, new))
        return not any(m is not None and any(not _open(f) for f in m.functions) for _, m in members)

    def stands_for(self, old: str, new: str) -> bool:
        """Whether a name of the new tree may stand for one of the old tree. A class that is only imported
        there has to have much of what the old one has."""
        was, now = self.old.resolve(old), self.new.resolve(new)
        if was is not None and now is not None and now.name != new and was.class_ and now.class_:
            return _are_like(was.class_, now.class_) and self.takes_the_place(was, now)
        return self.takes_the_place(was, now)

    def _used(self, found: Symbol, name: str) -> set[str]:
        """The members of a class that the backend names in modules that name the class."""
        self.own.note(looks_at_all(self.own.packages))
        users = self.own.mentioning(self.own.modules, name)
        members = {n for c in self.old.lineage(found).classes if (b := self.old.body(c)) for n in _members(b)}
        return {m for m in members if self.own.mentioning(users, f".{m}", f"def {m}(")}

    def _has(self, symbol: Symbol | None, members: set[str]) -> bool:
        return symbol is not None and all(self.new.member(symbol, m) is not None for m in members)

    def _defined_before(self, module: str, name: str) -> bool:
        table = self.old_tree.table(module)
        return table is not None and name in defined_names(table)

    def _moved_module(self, module: str) -> Relocation | None:
        blob = self.old_tree.blob(module)
        last = module.rpartition(".")[2]
        before = self.old_tree.table(module)
        # Every module without content is the very same as every other.
        content = _names(before) if before is not None else set()
        exact, alike = [], []
        for candidate in self.changed:
            if self.old_tree.exists(candidate):
                continue
            named_so = candidate.rpartition(".")[2] == last
            if blob is not None and self.new_tree.blob(candidate) == blob and (content or named_so):
                exact.append(candidate)
            elif (named_so or _tell(content)) and self._shares_names(
                content, candidate, 0.0 if named_so else 0.5
            ):
                alike.append(candidate)
        for group in (exact, alike):
            if group:
                best = max(group, key=lambda m: (SequenceMatcher(None, m, module).ratio(), m))
                return Relocation(best, "moved")
        return None

    def _shares_names(self, names: set[str], candidate: str, least: float) -> bool:
        """Whether a new module defines more than that share of names itself."""
        after = self.new_tree.table(candidate)
        return after is not None and len(names & defined_names(after)) > len(names) * least

    def _renamed(self, found: Symbol) -> Relocation | None:
        before, after = self.old_tree.table(found.module), self.new_tree.table(found.module)
        if before is None or after is None or not found.nodes:
            return None
        node = found.nodes[-1]
        if isinstance(node, Function):
            known = {f.name for f in before.functions}
            same = [f.name for f in after.functions if f.name not in known and f.body == node.body]
        elif isinstance(node, Class):
            known = {c.name for c in before.classes}
            same = [c.name for c in after.classes if c.name not in known and _alike(c, node)]
        else:
            return None
        return Relocation(f"{found.module}.{same[0]}", "renamed") if len(same) == 1 else None


def defined_names(table: ModuleTable) -> set[str]:
    """The names that a module defines itself, imports left out."""
    names = {c.name for c in table.classes}
    names.update(f.name for f in table.functions)
    names.update(v.name for v in table.variables)
    return names


def _tell(names: set[str]) -> bool:
    """Whether names tell a module from others: one word alone, such as ``main``, stands in many."""
    return len(names) > 1 or any("_" in name.strip("_") or not name.islower() for name in names)


def _names(table: ModuleTable) -> set[str]:
    """The classes and functions of a module, its variables where it has nothing else; ``__getattr__`` and
    the like tell no module from another."""
    names = {c.name for c in table.classes} | {f.name for f in table.functions}
    names = names or {v.name for v in table.variables}
    return {name for name in names if not (name.startswith("__") and name.endswith("__"))}


def _are_like(was: Class, now: Class) -> bool:
    """Whether two classes of a name may be the same one: one name of many in common does not make them so."""
    before, after = _content(was), _content(now)
    shared = 2 * len(before & after) >= min(len(before), len(after))
    return (shared and not _unlike(was, now)) or not (before and after)


def _unlike(was: Class, now: Class) -> bool:
    """Whether two classes have nothing but names of methods in common, which take other things altogether."""
    if {a.name for a in was.attributes} & {a.name for a in now.attributes}:
        return False
    there = {f.name: f for f in now.functions}
    both = [(f, there[f.name]) for f in was.functions if f.name in there]
    taken = [[{p.name for p in f.parameters[1:]} for f in pair] for pair in both]
    return len(taken) > 1 and all(one and two and not one & two for one, two in taken)


def _content(node: Class) -> set[str]:
    """Return what a class is told by: bases, methods but ``__init__``, attributes."""
    names = {base.rpartition(".")[2] for base in node.bases}
    names |= {f.name for f in node.functions if f.name != "__init__"}
    names |= {a.name for a in node.attributes} | {c.name for c in node.classes}
    return names


def _members(node: Class) -> set[str]:
    members: tuple[Function | Attribute | Class, ...] = (*node.functions, *node.attributes, *node.classes)
    return {member.name for member in members}


def _left_open(universe: Universe, symbol: Symbol) -> list[Function]:
    """The methods of a class that it leaves to subclasses."""
    found: dict[str, Function] = {}
    for owner in universe.lineage(symbol).classes:
        body = universe.body(owner)
        for function in body.functions if body is not None else ():
            found.setdefault(function.name, function)
    return [function for function in found.values() if _open(function)]


def _open(function: Function) -> bool:
    return function.abstract or function.unimplemented


def _alike(one: Class, other: Class) -> bool:
    bodies = {f.body for f in one.functions if f.body}
    others = {f.body for f in other.functions if f.body}
    shared = len(bodies & others)
    return bool(shared) and shared >= 0.6 * max(len(bodies), len(others))
