"""Finds the nodes that rewrites need, and changes a tree; libcst, its base, loads at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import libcst as cst

from syncbot.patching import tree_walk
from syncbot.patching.node_text import Definition, targets

Replacement: TypeAlias = "cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[Any]"
Edit: TypeAlias = Callable[[Any], Replacement]

# Kinds of nodes that tell something of those below them.
_NOTED = frozenset(
    {
        *(cst.Call, cst.Module, cst.IndentedBlock, cst.SimpleStatementLine, cst.Assign, cst.AnnAssign),
        *(cst.AugAssign, cst.Del, cst.For, cst.CompFor, cst.NamedExpr, cst.WithItem),
    }
)


class Index:
    """The nodes of one tree that rewrites look for, each with the definitions around it, outermost first."""

    def __init__(self, tree: cst.Module) -> None:
        self.around: dict[cst.CSTNode, tuple[Definition, ...]] = {}
        self.classes: list[cst.ClassDef] = []
        self.functions: list[cst.FunctionDef] = []
        self.calls: list[cst.Call] = []
        self.attributes: list[cst.Attribute] = []
        self.strings: list[cst.SimpleString] = []
        self.comparisons: list[cst.Comparison] = []
        self.imports: list[cst.Import | cst.ImportFrom] = []
        self.assignments: list[cst.Assign | cst.AnnAssign] = []
        self.lines: dict[cst.CSTNode, cst.SimpleStatementLine] = {}
        self.previous: dict[cst.CSTNode, cst.CSTNode] = {}
        self.called: set[cst.CSTNode] = set()
        self.stored: set[cst.CSTNode] = set()
        recorded: dict[type, list[Any]] = {
            cst.ClassDef: self.classes,
            cst.FunctionDef: self.functions,
            cst.Call: self.calls,
            cst.Attribute: self.attributes,
            cst.SimpleString: self.strings,
            cst.Comparison: self.comparisons,
            cst.Import: self.imports,
            cst.ImportFrom: self.imports,
            cst.Assign: self.assignments,
            cst.AnnAssign: self.assignments,
        }
        for node, around in tree_walk.nodes(tree):
            kind = type(node)
            if kind in recorded:
                self.around[node] = around
                recorded[kind].append(node)
            if kind in _NOTED:
                self._note(node)

    def _note(self, node: cst.CSTNode) -> None:
        """Record the facts that a node shows about those below it."""
        if isinstance(node, cst.Call):
            self.called.add(node.func)
        elif isinstance(node, (cst.Module, cst.IndentedBlock)):
            self.previous.update(zip(node.body[1:], node.body, strict=False))
        elif isinstance(node, cst.SimpleStatementLine):
            self.lines.update((small, node) for small in node.body)
        elif isinstance(node, (cst.Assign, cst.AnnAssign)):
            for target in targets(node):
                self._store(target)
        elif isinstance(node, (cst.AugAssign, cst.Del, cst.For, cst.CompFor, cst.NamedExpr)):
            self._store(node.target)
        elif isinstance(node, cst.WithItem) and node.asname is not None:
            self._store(node.asname.name)

    def _store(self, target: cst.CSTNode) -> None:
        self.stored.add(target)
        if isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._store(element.value)


class Editor(cst.CSTTransformer):
    """Passes each node that has edits through them, when its children are done; goes nowhere else."""

    def __init__(self, tree: cst.Module, edits: Mapping[cst.CSTNode, list[Edit]]) -> None:
        super().__init__()
        self._edits = edits
        self._above = tree_walk.above(tree, edits)

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Whether something below is edited."""
        return self._above is None or node in self._above

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        """Return the node changed by its edits."""
        result: Any = updated_node
        for edit in self._edits.get(original_node, ()):
            result = edit(result)
        return result
