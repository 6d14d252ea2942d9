"""What rules ask of the lane, its tests and its upstream, answered by their sources alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from syncbot.api.expressions import FunctionNode
from syncbot.api.methods import is_classmethod, is_static
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.values import Scope
from syncbot.suites.classes import parsed, position
from syncbot.verify.suite.outcomes import Frame

#: What every object has.
_OF_OBJECT = frozenset(dir(object))


@dataclass
class LaneSources:
    """The sources of a lane (by their path below the root of its tests) with its tests, and of its
    upstream, in one universe. ``packages`` are the lane's, ``upstream`` those that it follows; ``trees``
    are of both."""

    files: Mapping[str, bytes]
    packages: Collection[str]
    upstream: Collection[str]
    universe: Universe
    trees: Collection[ModuleTree] = ()
    _inference: Inference = field(init=False)

    def __post_init__(self) -> None:
        self._inference = Inference(self.universe)

    def text(self, file: str) -> bytes | None:
        """The text of a file of the lane, of its tests or of upstream."""
        known = self.files.get(file)
        if known is not None:
            return known
        return next((text for tree in self.trees if (text := _text(tree, file)) is not None), None)

    def member(self, class_: str, name: str) -> bool | None:
        """Whether objects of a class have a member; None where that cannot be seen."""
        symbol = self.universe.resolve(class_)
        if symbol is None or symbol.kind != "class":
            return None
        if name in _OF_OBJECT or self.universe.member(symbol, name) is not None:
            return True
        return None if self.universe.is_open(symbol) else False

    def class_asked(self, frame: Frame, name: str) -> str | None:
        """The class of what an expression of a frame asks for a member, as sources declare it."""
        text, module = self.text(frame.file), _module(frame.file)
        tree = parsed(text) if text is not None else None
        if tree is None or frame.expression is None:
            return None
        for node, around in _with_scopes(tree):
            if (
                isinstance(node, ast.Attribute)
                and node.attr == name
                and position(node) == (frame.line, *frame.expression)
            ):
                value = self._inference.infer(node.value, self._scope(module, around))
                return value.symbol.name if value is not None and value.instance else None
        return None

    def _scope(self, module: str, around: tuple[ast.AST, ...]) -> Scope:
        """The names where an expression stands: parameters by their annotations, local names by their
        values."""
        scope, class_ = Scope(module), None
        for node in around:
            if isinstance(node, ast.ClassDef):
                class_ = self.universe.local(module, node.name)
            elif isinstance(node, FunctionNode):
                scope = self._of_function(module, scope, node, class_)
                class_ = None
        return scope

    def _of_function(self, module: str, outer: Scope, node: FunctionNode, class_: Symbol | None) -> Scope:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        table = next(
            (
                each
                for each in (self.universe.defined(class_, node.name) if class_ is not None else ())
                if isinstance(each, Function)
            ),
            None,
        )
        bound = class_ is not None and table is not None and not is_static(table) and bool(arguments)
        values: dict[str, list[ast.expr]] = {}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Assign) and len(inner.targets) == 1:
                target = inner.targets[0]
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(inner.value)
        return Scope(
            module,
            outer,
            class_=class_ if bound else None,
            receiver=arguments[0].arg if bound else None,
            receiver_is_class=bound and table is not None and is_classmethod(table),
            annotations={each.arg: ast.unparse(each.annotation) for each in arguments if each.annotation},
            values=values,
            opaque=frozenset(each.arg for each in arguments),
        )


def _with_scopes(tree: ast.Module) -> list[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """The nodes of a module, each with the classes and functions around it, the outermost first."""
    found: list[tuple[ast.AST, tuple[ast.AST, ...]]] = []
    left: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while left:
        node, around = left.pop()
        found.append((node, around))
        inside = (*around, node) if isinstance(node, ast.ClassDef | FunctionNode) else around
        left += [(child, inside) for child in ast.iter_child_nodes(node)]
    return found


def _text(tree: ModuleTree, file: str) -> bytes | None:
    module = _module(file)
    return tree.source(module) if tree.has(module) else None


def _module(file: str) -> str:
    """The module that a file is, as it is imported."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
