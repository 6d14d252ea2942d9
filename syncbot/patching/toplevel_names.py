"""Names that are bound at a file's top level alone, told without libcst's scopes, which take long."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import libcst as cst

from syncbot.patching import tree_walk
from syncbot.patching.node_edits import Index
from syncbot.patching.node_text import dotted, imported_module, imported_names

_NAMING = (
    *(cst.ClassDef, cst.FunctionDef, cst.Param, cst.NameItem, cst.AsName, cst.MatchAs, cst.MatchStar),
    *(cst.TypeAlias, cst.TypeVar, cst.TypeVarTuple, cst.ParamSpec),
)


class PlainNames:
    """The names that expressions of one tree refer to, where that needs no scopes."""

    def __init__(self, tree: cst.Module, index: Index) -> None:
        self._within_imports = {
            node
            for statement in index.imports
            for node, _ in tree_walk.nodes(statement)
            if node is not statement
        }
        self._targets = MappingProxyType(_targets(tree, index, self._within_imports))

    def qualified(self, node: cst.CSTNode) -> frozenset[str] | None:
        """Return the dotted names that a chain of names may stand for; None where scopes have to be asked."""
        text = dotted(node)
        if text is None or node in self._within_imports:
            return None
        first, dot, rest = text.partition(".")
        targets = self._targets.get(first)
        return None if targets is None else frozenset(f"{target}{dot}{rest}" for target in targets)


def _targets(tree: cst.Module, index: Index, within: set[cst.CSTNode]) -> Mapping[str, set[str]]:
    """By name, what only the top level binds it to, before it is said: what runs later sees all."""
    found: dict[str, set[str]] = {}
    other = {node.value for node in index.stored if isinstance(node, cst.Name)}
    said: set[str] = set()
    outermost = (
        f for f in index.functions if not any(isinstance(d, cst.FunctionDef) for d in index.around[f])
    )
    later = {node for function in outermost for node, _ in tree_walk.nodes(function.body)}

    def bind(name: str, target: str | None) -> None:
        if target is None or name in said:
            other.add(name)
        else:
            found.setdefault(name, set()).add(target)

    for node, around in tree_walk.nodes(tree):
        if node in within:
            continue
        if isinstance(node, cst.Name):
            if node not in later:
                said.add(node.value)
        elif isinstance(node, (cst.Import, cst.ImportFrom)):
            for name, target in _imported(node):
                bind(name, None if around else target)
        elif isinstance(node, (cst.ClassDef, cst.FunctionDef)) and not around:
            bind(node.name.value, node.name.value)
        elif (bound := _bound(node)) is not None:
            other.add(bound)
    return {name: targets for name, targets in found.items() if name not in other}


def _imported(statement: cst.Import | cst.ImportFrom) -> list[tuple[str, str | None]]:
    """The names that a statement binds, and what each stands for; None where that is a longer story."""
    if isinstance(statement, cst.Import):
        return [_whole(alias) for alias in statement.names]
    module = imported_module(statement)
    return [
        (alias.evaluated_alias or alias.evaluated_name, module and f"{module}.{alias.evaluated_name}")
        for alias in imported_names(statement)
    ]


def _whole(alias: cst.ImportAlias) -> tuple[str, str | None]:
    """Return the name that ``import a.b as c`` binds and its target, which is None for ``import a.b``."""
    module = alias.evaluated_name
    if alias.asname is None and "." in module:
        return module.partition(".")[0], None
    return alias.evaluated_alias or module, module


def _bound(node: cst.CSTNode) -> str | None:
    """The name that a node binds, assignments and definitions at the top level apart."""
    named = (
        node.name if isinstance(node, _NAMING) else node.rest if isinstance(node, cst.MatchMapping) else None
    )
    return named.value if isinstance(named, cst.Name) else None
