"""Which of the definitions that a commit removes and adds are the same ones: a move is one fact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncbot.api.model import Class, Function, ModuleTable


@dataclass(frozen=True, slots=True)
class Defined:
    """A function or class at the top of a module."""

    module: str
    file: str
    node: Function | Class

    @property
    def symbol(self) -> str:
        """The full dotted name."""
        return f"{self.module}.{self.node.name}"


def pairs(removed: Sequence[Defined], added: Sequence[Defined]) -> list[tuple[Defined, Defined]]:
    """Removed definitions with the added ones that they became: the only one of that name and sort in another
    module, else a function with the same long body. Each is used once."""
    found: list[tuple[Defined, Defined]] = []
    taken: set[int] = set()
    for same in (_same_name, _same_body):
        for old in removed:
            if any(old is pair[0] for pair in found):
                continue
            near = [new for new in added if id(new) not in taken and same(old, new)]
            if len(near) > 1:
                near = [new for new in near if _fingerprint(new.node) == _fingerprint(old.node)]
            if len(near) == 1:
                taken.add(id(near[0]))
                found.append((old, near[0]))
    return found


def top_level(table: ModuleTable) -> Iterable[Function | Class]:
    """The functions and classes of a module, the last one of each name."""
    nodes: list[Function | Class] = [*table.functions, *table.classes]
    return {node.name: node for node in nodes}.values()


def _same_name(old: Defined, new: Defined) -> bool:
    same = old.node.name == new.node.name and type(old.node) is type(new.node)
    return same and old.module != new.module


def _same_body(old: Defined, new: Defined) -> bool:
    if not isinstance(old.node, Function) or not isinstance(new.node, Function):
        return False
    long_enough = old.node.end_line - old.node.line >= 3
    return long_enough and bool(old.node.body) and old.node.body == new.node.body


def _fingerprint(node: Function | Class) -> tuple[object, ...]:
    if isinstance(node, Function):
        return (node.body,)
    return tuple((f.name, f.body) for f in node.functions)
