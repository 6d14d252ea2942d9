"""The sources of one end, the release or a lane, for rules: with its tests and upstream, read, never run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from syncbot.api.expressions import FunctionNode
from syncbot.api.methods import is_classmethod, is_static
from syncbot.api.model import Function
from syncbot.api.signatures import Signature, constructor, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.values import Scope, Value
from syncbot.suites.failing_code import Around, expression_at
from syncbot.verify.suite.outcomes import Frame

#: What every object has.
_OF_OBJECT = frozenset(dir(object))
#: What makes an object, as errors name it.
_MAKERS = ("__init__", "__new__")


@dataclass
class LaneSources:
    """The sources of a lane (by their path below the root of its tests) with its tests, and of its
    upstream, in one universe. ``packages`` are the lane's, ``upstream`` those that it follows."""

    files: Mapping[str, bytes]
    packages: Collection[str]
    upstream: Collection[str]
    universe: Universe
    _inference: Inference = field(init=False)

    def __post_init__(self) -> None:
        self._inference = Inference(self.universe)

    def text(self, file: str) -> bytes | None:
        """The text of a file of the lane, of its tests or of upstream."""
        known = self.files.get(file)
        if known is not None:
            return known
        return next((text for tree in self.universe.trees if (text := _text(tree, file)) is not None), None)

    def is_upstream(self, dotted: str) -> bool:
        """Whether a dotted name is one of upstream's."""
        return dotted.partition(".")[0] in self.upstream

    def class_(self, dotted: str) -> Symbol | None:
        """The class of that name."""
        symbol = self.universe.resolve(dotted)
        return symbol if symbol is not None and symbol.kind == "class" else None

    def member(self, class_: str, name: str) -> bool | None:
        """Whether objects of a class have a member; None where that cannot be seen."""
        symbol = self.class_(class_)
        if symbol is None:
            return None
        if name in _OF_OBJECT or self.universe.member(symbol, name) is not None:
            return True
        return None if self.universe.is_open(symbol) else False

    def named(self, name: str) -> list[Symbol]:
        """The classes and functions of that name at the top of any module, sorted."""
        return sorted(self._named(name), key=lambda symbol: symbol.name)

    def _named(self, name: str) -> Iterator[Symbol]:
        for tree in self.universe.trees:
            for module in tree.mentioning(tree.modules, f"class {name}", f"def {name}"):
                table = tree.table(module)
                if table is None:
                    continue
                names = {*(node.name for node in table.classes), *(node.name for node in table.functions)}
                if name in names:
                    symbol = self.universe.local(module, name)
                    if symbol is not None and symbol.name == f"{module}.{name}":
                        yield symbol

    def holders(self, name: str) -> list[Symbol]:
        """The classes at the top of any module that define a member, sorted."""
        found = []
        for tree in self.universe.trees:
            for module in tree.mentioning(tree.modules, name):
                table = tree.table(module)
                for node in table.classes if table is not None else ():
                    symbol = self.universe.local(module, node.name)
                    if symbol is not None and self.universe.defined(symbol, name):
                        found.append(symbol)
        return sorted(set(found), key=lambda symbol: symbol.name)

    def callables(self, qualname: str) -> list[str]:
        """The dotted names of all that an error may mean by ``function``, ``Class.method`` or the maker of a
        class, which is named by the class."""
        head, _, method = qualname.partition(".")
        found = []
        for symbol in self.named(head):
            if not method or (method in _MAKERS and symbol.kind == "class"):
                found.append(symbol.name)
            elif symbol.kind == "class" and self.universe.defined(symbol, method):
                found.append(f"{symbol.name}.{method}")
        return found

    def signatures(self, dotted: str) -> tuple[Signature, ...]:
        """Return the signatures of a function, a method (without its receiver) or a class; empty where they
        cannot be seen."""
        symbol = self.universe.resolve(dotted)
        if symbol is None:
            return ()
        if symbol.kind == "class":
            made = constructor(self.universe, symbol)
            return made[0] if made is not None else ()
        bound = self.class_(dotted.rpartition(".")[0]) is not None
        free = [each for each in symbol.functions if bound and is_static(each)]
        return function_signatures(free, False) if free else function_signatures(symbol.functions, bound)

    def follows(self, dotted: str) -> str | None:
        """The dotted name of what a method overrides, or of the class that a class derives from, in upstream;
        None where there is none."""
        owner, _, name = dotted.rpartition(".")
        class_ = self.class_(dotted)
        if class_ is not None:
            bases = self.universe.lineage(class_).classes[1:]
            return next((base.name for base in bases if self.is_upstream(base.module)), None)
        class_ = self.class_(owner)
        if class_ is None:
            return None
        for place, base in enumerate(self.universe.lineage(class_).classes):
            if place and self.is_upstream(base.module):
                member = self.universe.member(class_, name, place)
                return member.symbol if member is not None else None
        return None

    def class_asked(self, frame: Frame, name: str) -> str | None:
        """The class of what an expression of a frame asks for a member, as sources declare it."""
        found = expression_at(self.text(frame.file), frame)
        if found is None or not isinstance(found[0], ast.Attribute) or found[0].attr != name:
            return None
        value = self._infer(frame, found[0].value, found[1])
        return value.symbol.name if value is not None and value.instance else None

    def called(self, frame: Frame) -> tuple[ast.Call, str, tuple[Signature, ...]] | None:
        """The call that a frame was doing, the dotted name of what is really called there, and what that
        takes; None where sources do not tell."""
        found = expression_at(self.text(frame.file), frame)
        if found is None or not isinstance(found[0], ast.Call):
            return None
        call, value = found[0], self._infer(frame, found[0].func, found[1])
        if value is None or value.instance:
            return None
        symbol = value.symbol
        if symbol.kind == "class":
            return call, symbol.name, self.signatures(symbol.name)
        return call, symbol.name, function_signatures(symbol.functions, value.bound)

    def _infer(self, frame: Frame, node: ast.expr, around: Around) -> Value | None:
        return self._inference.infer(node, self._scope(_module(frame.file), around))

    def _scope(self, module: str, around: Around) -> Scope:
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
        defined = self.universe.defined(class_, node.name) if class_ is not None else ()
        table = next((each for each in defined if isinstance(each, Function)), None)
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


def _text(tree: ModuleTree, file: str) -> bytes | None:
    module = _module(file)
    return tree.source(module) if tree.has(module) else None


def _module(file: str) -> str:
    """The module that a file is, as it is imported."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
