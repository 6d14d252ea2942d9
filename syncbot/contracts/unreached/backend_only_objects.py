"""Objects that only code of the backend can call, because whoever makes and keeps them gives way to it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parse, parsed
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.inference.local_imports import imported_within
from syncbot.contracts.unreached.named_as_value import Mention, mentions
from syncbot.contracts.unreached.used_names import imported_as


def places_naming(
    class_: Symbol, own: ModuleTree, universe: Universe, tests: Collection[str]
) -> list[Mention]:
    """The places of the backend, its ``tests`` left out, that name a class of it, also as what they import it
    as; none if there are many."""
    short = _short(class_)
    names = dict.fromkeys((short, *(other for _, other in imported_as(own, short))))
    found = [(name, mentions(own, name, tests)) for name in names]
    if any(places is None for _, places in found):
        return []
    return [p for name, places in found for p in places or () if _may_mean(p.module, name, class_, universe)]


def is_another(name: str, module: str, class_: Symbol, universe: Universe) -> bool:
    """Whether a name of a module means a class of the backend that has nothing of ``class_``."""
    found = _meant(name, module, universe)
    own = universe.tree_of(class_.module)
    if found is None or found.kind != "class" or universe.tree_of(found.module) is not own:
        return False
    return class_.name not in {each.name for each in universe.lineage(found).classes}


def _may_mean(module: str, name: str, class_: Symbol, universe: Universe) -> bool:
    """Whether a name means a class in a module: the last part of its own does if nothing else is seen."""
    found = _meant(name, module, universe)
    return name == _short(class_) if found is None or found.kind != "class" else found.name == class_.name


def _meant(name: str, module: str, universe: Universe) -> Symbol | None:
    """Return what a module, or the functions in it that all import the same, mean by a name."""
    found = universe.local(module, name)
    tree = parsed(universe.source(module)) if found is None else None
    sources = set(imported_within(universe, module, tree, name)) if tree is not None else set[str]()
    return universe.resolve(sources.pop()) if len(sources) == 1 else found


def _short(class_: Symbol) -> str:
    return class_.qualname.rpartition(".")[2]


class Hidden(Protocol):
    """The answer which upstream code never runs (:class:`syncbot.contracts.unreached.shadowing.Shadows`)."""

    def hide(self, module: str, scope: str, steps: int = ...) -> bool:
        """Whether the upstream code in a scope never runs."""
        ...

    def hides(self, class_: Symbol, method: str) -> bool:
        """Whether a method of a class gives way to one of the backend."""
        ...


@dataclass(frozen=True, slots=True)
class World:
    """The backend's modules without its ``tests``, upstream's, what names in both lead to, and the upstream
    names that the backend's modules assign onto (``replaced``: name → what, and the module)."""

    own: ModuleTree
    tree: ModuleTree
    universe: Universe
    tests: Collection[str]
    replaced: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def made_by_own_alone(class_: Symbol, world: World) -> bool:
    """Whether calls in the backend alone make a class's objects: nothing registers the class, hands it on, or
    takes the name of one of its bases, and the same holds for what derives from it."""
    return _is_own_made(class_, world, frozenset())


def _is_own_made(class_: Symbol, world: World, below: frozenset[str]) -> bool:
    short = class_.qualname.rpartition(".")[2]
    if class_.name in below or any(
        _is_put_under(base, class_, world) for base in world.universe.lineage(class_).classes[1:]
    ):
        return False
    if class_.class_ is None or class_.class_.decorators:
        return False
    places = places_naming(class_, world.own, world.universe, world.tests)
    made = any(_may_make(place, class_, world) for place in places) and all(
        place.called or _is_derived(place, class_, world, below | {class_.name}) for place in places
    )
    # To search all of upstream takes longer than the rest; there a base of the same name is meant.
    return made and (_has_its_name(class_, world) or not world.tree.mentioning(world.tree.modules, short))


def _may_make(place: Mention, class_: Symbol, world: World) -> bool:
    """Whether an object may come of a place that names a class: of a call of one of its methods with another
    object none does."""
    member = world.universe.member(class_, place.asked) if place.asked else None
    return member is None or not member.functions or bool(member.functions[-1].decorators)


def _has_its_name(class_: Symbol, world: World) -> bool:
    """Whether a class bears the name of an upstream one that it derives from."""
    short = class_.qualname.rpartition(".")[2]
    bases = world.universe.lineage(class_).classes[1:]
    return any(world.tree.owns(b.module) and b.qualname.rpartition(".")[2] == short for b in bases)


def _is_derived(place: Mention, class_: Symbol, world: World, below: frozenset[str]) -> bool:
    """Whether a place only derives a class from another one, whose objects the backend makes as well."""
    found = world.universe.local(place.module, place.derived) if place.derived else None
    if found is not None and found.name == class_.name and _has_its_name(class_, world):
        return True
    return found is not None and found.kind == "class" and _is_own_made(found, world, below)


def _is_put_under(base: Symbol, class_: Symbol, world: World) -> bool:
    """Whether a module of the backend assigns to an attribute of a base's name, or hands that name on as a
    string: what it assigns onto another class of that name is no matter, nor is another class that stands
    beside the string (``"Base": Other``)."""
    short = base.qualname.rpartition(".")[2]
    names = {b"n": re.escape(short.encode())}
    assigned = re.compile(rb"\.%(n)s\s*=(?!=)" % names)
    spelled = re.compile(rb"(?<!: )[\"']%(n)s[\"']\s*(?:[,\]]|:\s*([\w.]*))" % names)
    for module in world.own.mentioning(world.own.modules, short):
        text = (world.own.source(module) or b"") if module not in world.tests else b""
        beside = (match[1] for match in spelled.finditer(text))
        if not all(name and is_another(name.decode(), module, class_, world.universe) for name in beside):
            return True
        if len(assigned.findall(text)) > _elsewhere(base, module, world):
            return True
    return False


def _elsewhere(base: Symbol, module: str, world: World) -> int:
    """How often a module assigns onto another upstream class of the same name."""
    short = base.qualname.rpartition(".")[2]
    onto = [n for n, (_, by) in world.replaced.items() if by == module and n.rpartition(".")[2] == short]
    found = [world.universe.resolve(name) for name in onto]
    return sum(each is not None and each.kind == "class" and each.name != base.name for each in found)


def held_where_replaced(class_: Symbol, method: str, world: World, hidden: Hidden) -> bool:
    """Whether every class that makes and keeps objects of ``class_`` has the backend's own ``method``, which
    then calls them, and nothing else that runs reads what keeps them."""
    short = class_.qualname.rpartition(".")[2]
    places = mentions(world.own, short, world.tests)
    if world.universe.tree_of(class_.module) is world.tree and places is not None:
        upstream = mentions(world.tree, short)
        places = None if upstream is None else [*places, *upstream]
    inside = f"{class_.qualname}."
    makers = [p for p in places or () if p.module != class_.module or not p.scope.startswith(inside)]
    return bool(makers) and all(_gives_way(maker, method, world, hidden) for maker in makers)


def _gives_way(maker: Mention, method: str, world: World, hidden: Hidden) -> bool:
    name, _, within = maker.scope.partition(".")
    holder = world.universe.local(maker.module, name) if within else None
    if holder is None or holder.kind != "class" or not (maker.called and maker.kept):
        return False
    if world.universe.tree_of(maker.module) is world.tree:
        if not hidden.hides(holder, method):
            return False
    elif not _is_own(holder, method, world):
        # What has no such method calls the objects in others of its own.
        lacks = world.universe.member(holder, method) is None
        return lacks and not _hands_on(holder, maker.kept, world)
    return not any(_others_reading(holder, method, maker.kept, world, hidden))


def _hands_on(holder: Symbol, kept: Collection[str], world: World) -> bool:
    """Whether a class of the backend may give what it keeps to others: a method of upstream reads it, or its
    own name it otherwise than to call or ask it."""
    for owner in world.universe.lineage(holder).classes:
        tree = world.universe.tree_of(owner.module)
        if tree is None:
            continue
        tree.note((owner.module,))
        for function in _methods(parse(tree.source(owner.module) or b""), owner.qualname):
            if tree is not world.own:
                if _reads(function, kept):
                    return True
                continue
            asked = {id(n.func) for n in every_node(function) if isinstance(n, ast.Call)}
            asked |= {id(n.value) for n in every_node(function) if isinstance(n, ast.Attribute)}
            read = (n for n in every_node(function) if isinstance(n, ast.Attribute) and n.attr in kept)
            if any(isinstance(n.ctx, ast.Load) and id(n) not in asked for n in read):
                return True
    return False


def _is_own(holder: Symbol, method: str, world: World) -> bool:
    """Whether the backend itself defines a class's method, and does not go back to upstream's in it."""
    member = world.universe.member(holder, method)
    if member is None or not member.functions or world.universe.tree_of(member.owner.module) is not world.own:
        return False
    source = parse(world.own.source(member.owner.module) or b"")
    return not any(
        isinstance(node, ast.Attribute) and node.attr == method and dotted(node.value) is None
        and isinstance(node.value, ast.Call) and dotted(node.value.func) == "super"
        for function in _methods(source, member.owner.qualname)
        if function.name == method
        for node in every_node(function)
    )  # fmt: skip


def _others_reading(
    holder: Symbol, method: str, kept: Collection[str], world: World, hidden: Hidden
) -> Iterator[str]:
    """The upstream methods that run and read what of ``self`` keeps the objects, but for an attribute."""
    for owner in world.universe.lineage(holder).classes:
        if world.universe.tree_of(owner.module) is not world.tree:
            continue
        world.tree.note((owner.module,))
        for function in _methods(parse(world.tree.source(owner.module) or b""), owner.qualname):
            if function.name in ("__init__", method) or not _reads(function, kept):
                continue
            member = world.universe.member(holder, function.name)
            overridden = member is not None and world.universe.tree_of(member.owner.module) is world.own
            if not overridden and not hidden.hide(owner.module, f"{owner.qualname}.{function.name}"):
                yield function.name


def _methods(module: ast.Module, qualname: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    body: list[ast.stmt] = module.body
    for part in qualname.split("."):
        classes = [
            n for top in body for n in every_node(top) if isinstance(n, ast.ClassDef) and n.name == part
        ]
        body = classes[-1].body if classes else []
    yield from (n for n in body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def _reads(function: ast.AST, kept: Collection[str]) -> bool:
    passed_over = {id(n.value) for n in every_node(function) if isinstance(n, ast.Attribute)}
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in kept
        and isinstance(node.ctx, ast.Load)
        and id(node) not in passed_over
        for node in every_node(function)
    )
