"""A function in one version of upstream: its text, and what its names refer to there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from syncbot.api.extract import extract
from syncbot.api.model import Import
from syncbot.api.symbols import Node
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.errors import CannotRewrite


@dataclass(frozen=True, slots=True)
class Original:
    """Where a function is defined: the module's name and text, and its name there (``Class.method``)."""

    module: str
    text: str
    name: str
    package: bool = False

    @property
    def symbol(self) -> str:
        """The dotted name."""
        return f"{self.module}.{self.name}"

    @property
    def owner(self) -> str | None:
        """The class that defines it."""
        return self.name.rpartition(".")[0] or None

    def function(self) -> cst.FunctionDef:
        """Return its definition. Raises CannotRewrite where the module has not just one."""
        body: Sequence[cst.BaseStatement | cst.BaseSmallStatement] = cst.parse_module(self.text).body
        *around, last = self.name.split(".")
        for name in around:
            classes = [n for n in _flat(body) if isinstance(n, cst.ClassDef) and n.name.value == name]
            if len(classes) != 1:
                raise CannotRewrite(f"{self.module} has {len(classes)} definitions of {name}")
            body = classes[0].body.body
        found = [n for n in _flat(body) if isinstance(n, cst.FunctionDef) and n.name.value == last]
        if len(found) != 1:
            raise CannotRewrite(f"{self.module} has {len(found)} definitions of {self.name}")
        return found[0]

    def origins(self) -> dict[str, Origin]:
        """Return what each name of the module's top level stands for."""
        table = extract(self.text.encode())
        bound = [(item.line, item.local, self._imported(item)) for item in table.imports if item.name != "*"]
        nodes: list[Node] = [*table.functions, *table.classes, *table.variables]
        for node in nodes:
            origin = Origin(self.module, node.name, None, _for_checkers(node.guards))
            bound.append((node.line, node.name, origin))
        found: dict[str, Origin] = {}
        for _, name, origin in sorted(bound, key=itemgetter(0)):
            if name not in found or not origin.typing_only:
                found[name] = origin
        return found

    def _imported(self, item: Import) -> Origin:
        parts = self.module.split(".")
        around = parts[: len(parts) - item.level + (1 if self.package else 0)] if item.level else []
        source = ".".join([*around, *([item.module] if item.module else [])])
        plain = item.name or item.module.partition(".")[0]
        alias = item.local if item.local != plain else None
        return Origin(source, item.name, alias, _for_checkers(item.guards))


@dataclass(frozen=True, slots=True)
class Origin:
    """An import that binds a name: ``from module import name as alias``, or ``import module as alias``."""

    module: str
    name: str | None
    alias: str | None
    typing_only: bool

    @property
    def target(self) -> str:
        """The dotted target of the name; ``import a.b`` binds ``a``."""
        if self.name is not None:
            return f"{self.module}.{self.name}"
        return self.module if self.alias else self.module.partition(".")[0]

    def statement(self) -> str:
        """Return the import statement."""
        alias = f" as {self.alias}" if self.alias else ""
        if self.name is None:
            return f"import {self.module}{alias}"
        return f"from {self.module} import {self.name}{alias}"


def _flat(
    body: Sequence[cst.BaseStatement | cst.BaseSmallStatement],
) -> Iterator[cst.BaseStatement | cst.BaseSmallStatement]:
    """The statements of a body, those under a condition included."""
    for node in body:
        yield node
        if isinstance(node, cst.If):
            yield from _flat(node.body.body)
            orelse = node.orelse
            if orelse is not None:
                yield from _flat([orelse] if isinstance(orelse, cst.If) else orelse.body.body)


def _for_checkers(guards: Sequence[str]) -> bool:
    return any(re.fullmatch(r"if ([\w.]+\.)?TYPE_CHECKING", guard) for guard in guards)
