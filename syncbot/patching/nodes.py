"""The classes of libcst that walk the tree of a source: what rewrites look for in it, and what changes it.

Deriving from libcst's classes needs it at once; ``source`` imports this when a tree is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import libcst as cst

from syncbot.patching.source import Definition, Edit, targets


class Index(cst.CSTVisitor):
    """The nodes of one tree that rewrites look for, each with the definitions around it, outermost first."""

    def __init__(self) -> None:
        super().__init__()
        self.around: dict[cst.CSTNode, tuple[Definition, ...]] = {}
        self.classes: list[cst.ClassDef] = []
        self.functions: list[cst.FunctionDef] = []
        self.calls: list[cst.Call] = []
        self.attributes: list[cst.Attribute] = []
        self.strings: list[cst.SimpleString] = []
        self.imports: list[cst.Import | cst.ImportFrom] = []
        self.assignments: list[cst.Assign | cst.AnnAssign] = []
        self.lines: dict[cst.CSTNode, cst.SimpleStatementLine] = {}
        self.previous: dict[cst.CSTNode, cst.CSTNode] = {}
        self.called: set[cst.CSTNode] = set()
        self.stored: set[cst.CSTNode] = set()
        self._stack: tuple[Definition, ...] = ()

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Record the node; descend everywhere."""
        if isinstance(node, cst.Name):
            return False
        if isinstance(node, cst.Attribute):
            self._record(node, self.attributes)
        elif isinstance(node, cst.Call):
            self._record(node, self.calls)
            self.called.add(node.func)
        elif isinstance(node, (cst.Module, cst.IndentedBlock)):
            self.previous.update(zip(node.body[1:], node.body, strict=False))
        elif isinstance(node, cst.SimpleStatementLine):
            self.lines.update((small, node) for small in node.body)
        elif isinstance(node, cst.SimpleString):
            self._record(node, self.strings)
        elif isinstance(node, (cst.Import, cst.ImportFrom)):
            self._record(node, self.imports)
        elif isinstance(node, cst.ClassDef):
            self._record(node, self.classes)
            self._stack = (*self._stack, node)
        elif isinstance(node, cst.FunctionDef):
            self._record(node, self.functions)
            self._stack = (*self._stack, node)
        elif isinstance(node, (cst.Assign, cst.AnnAssign)):
            self._record(node, self.assignments)
            for target in targets(node):
                self._store(target)
        elif isinstance(node, (cst.AugAssign, cst.Del, cst.For, cst.CompFor, cst.NamedExpr)):
            self._store(node.target)
        elif isinstance(node, cst.WithItem) and node.asname is not None:
            self._store(node.asname.name)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Leave the definition."""
        if self._stack and original_node is self._stack[-1]:
            self._stack = self._stack[:-1]

    def _record(self, node: Any, into: list[Any]) -> None:
        self.around[node] = self._stack
        into.append(node)

    def _store(self, target: cst.CSTNode) -> None:
        self.stored.add(target)
        if isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._store(element.value)


class Editor(cst.CSTTransformer):
    """Passes each node that has edits through them, when its children are done."""

    def __init__(self, edits: Mapping[cst.CSTNode, list[Edit]]) -> None:
        super().__init__()
        self._edits = edits

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        """What the edits of the node make of it."""
        result: Any = updated_node
        for edit in self._edits.get(original_node, ()):
            result = edit(result)
        return result


class Returns(cst.CSTVisitor):
    """What a function returns, those within it left out."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[cst.BaseExpression | None] = []

    def visit_Return(self, node: cst.Return) -> bool:
        """Take its value, if it has one."""
        self.values.append(node.value)
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        """Leave it out."""
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        """Leave it out."""
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        """Leave it out."""
        return False
