"""Differences between two versions of a module's interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from syncbot.api.model import Attribute, Class, Function, ModuleTable, Parameter

Node = Class | Function | Attribute
_NOTHING = ModuleTable()


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; ``kind`` as of impacts, ``detail`` a parameter, both values, or the former name."""

    kind: str
    symbol: str
    detail: str = ""


def module_changes(module: str, old: ModuleTable | None, new: ModuleTable | None) -> Iterator[Change]:
    """The differences of one module; None stands for a module that is not there."""
    return _named_changes(module, _top_level(old or _NOTHING), _top_level(new or _NOTHING))


def moved(changes: Sequence[Change], defined: Mapping[str, Node], now: Mapping[str, Node]) -> list[Change]:
    """The changes; a definition that left one module for another is one move. ``defined`` and ``now`` are the
    nodes removed and added."""
    arrivals: dict[str, list[Change]] = {}
    for change in changes:
        if change.kind == "added" and change.symbol in now:
            arrivals.setdefault(change.symbol.rpartition(".")[2], []).append(change)
    result: list[Change] = []
    gone: set[Change] = set()
    for change in changes:
        name = change.symbol.rpartition(".")[2]
        if change.kind != "removed" or change.symbol not in defined or not arrivals.get(name):
            continue
        was = defined[change.symbol]
        homes = [arrival for arrival in arrivals[name] if _alike(was, now[arrival.symbol])]
        if homes:
            home = homes[0]
            arrivals[name].remove(home)
            gone |= {change, home}
            result.append(Change("moved", home.symbol, f"from {change.symbol}"))
            result += node_changes(home.symbol, was, now[home.symbol])
    return [*result, *(change for change in changes if change not in gone)]


def _alike(one: Node, other: Node) -> bool:
    """Whether two definitions of one name may be the same thing: of constants, only with the same value."""
    if isinstance(one, Attribute) and isinstance(other, Attribute):
        return one.value is not None and one.value == other.value
    return type(one) is type(other)


def nodes(module: str, table: ModuleTable | None) -> dict[str, Node]:
    """Dotted name → definition of all that a module defines at its top."""
    return {f"{module}.{name}": node for name, node in _top_level(table or _NOTHING).items()}


def node_changes(symbol: str, old: Node, new: Node) -> Iterator[Change]:
    """The differences between two definitions of one name."""
    match old, new:
        case Class(), Class():
            yield from _class_changes(symbol, old, new)
        case Function(), Function():
            yield from _function_changes(symbol, old, new)
        case Attribute(), Attribute():
            if old.value != new.value and not (old.origin and new.origin):
                yield Change("value-changed", symbol, f"{_short(old.value)} → {_short(new.value)}")
        case _:
            yield Change("redefined", symbol, f"{_kind(old)} → {_kind(new)}")


def member(node: Node, names: Sequence[str]) -> Node | None:
    """The definition that dotted names lead to inside a class, None where it has none itself."""
    for name in names:
        if not isinstance(node, Class):
            return None
        found = _members(node).get(name)
        if found is None:
            return None
        node = found
    return node


def _top_level(table: ModuleTable) -> dict[str, Node]:
    found: dict[str, Node] = {v.name: v for v in table.variables}
    found |= {f.name: f for f in table.functions}
    return found | {c.name: c for c in table.classes}


def _members(node: Class) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for attribute in node.attributes:
        # What the class body says of a name outweighs what methods assign.
        if attribute.name not in found or not attribute.origin:
            found[attribute.name] = attribute
    found |= {f.name: f for f in node.functions}
    return found | {c.name: c for c in node.classes}


def _named_changes(owner: str, old: Mapping[str, Node], new: Mapping[str, Node]) -> Iterator[Change]:
    for name, node in old.items():
        if name not in new:
            yield Change("removed", f"{owner}.{name}", _kind(node))
    for name, node in new.items():
        if name not in old:
            yield Change("added", f"{owner}.{name}", _kind(node))
        else:
            yield from node_changes(f"{owner}.{name}", old[name], node)


def _class_changes(symbol: str, old: Class, new: Class) -> Iterator[Change]:
    if old.bases != new.bases:
        yield Change("bases-changed", symbol, f"({', '.join(old.bases)}) → ({', '.join(new.bases)})")
    if old.decorators != new.decorators:
        yield Change("decorators-changed", symbol, _lists(old.decorators, new.decorators))
    yield from _named_changes(symbol, _members(old), _members(new))


def _function_changes(symbol: str, old: Function, new: Function) -> Iterator[Change]:
    before = {p.name: p for p in old.parameters}
    after = {p.name: p for p in new.parameters}
    for name, parameter in before.items():
        if name not in after:
            yield Change("parameter-removed", symbol, _stars(parameter))
    for name, parameter in after.items():
        yield from _parameter_changes(symbol, before.get(name), parameter)
    common = [name for name in before if name in after]
    if common != [name for name in after if name in before]:
        yield Change("parameters-reordered", symbol, f"({', '.join(before)}) → ({', '.join(after)})")
    if old.is_async != new.is_async:
        yield Change("async-changed", symbol, "now async" if new.is_async else "no longer async")
    if old.decorators != new.decorators:
        yield Change("decorators-changed", symbol, _lists(old.decorators, new.decorators))


def _parameter_changes(symbol: str, old: Parameter | None, new: Parameter) -> Iterator[Change]:
    if old is None:
        how = f" ({'required' if new.required else f'default {new.default}'})" if _plain(new) else ""
        yield Change("parameter-added", symbol, f"{_stars(new)}{how}")
    elif old.default != new.default:
        was, now = old.default or "required", new.default or "required"
        yield Change("default-changed", symbol, f"{new.name}: {was} → {now}")
    elif old.kind != new.kind:
        yield Change("parameter-kind-changed", symbol, new.name)


def _plain(parameter: Parameter) -> bool:
    return parameter.kind not in ("*", "**")


def _stars(parameter: Parameter) -> str:
    return parameter.name if _plain(parameter) else parameter.kind + parameter.name


def _lists(old: Sequence[str], new: Sequence[str]) -> str:
    return f"[{', '.join(old)}] → [{', '.join(new)}]"


def _short(text: str | None) -> str:
    shown = " ".join((text or "none").split())
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def _kind(node: Node) -> str:
    match node:
        case Class():
            return "class"
        case Function():
            return "function"
        case Attribute(origin=origin):
            return f"attribute set in {origin}" if origin else "variable"
