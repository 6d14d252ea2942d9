"""Which type an expression of the backend or of upstream is declared with."""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from syncbot.api.annotated_classes import named_class, named_classes
from syncbot.api.expressions import expression
from syncbot.api.methods import is_classmethod, is_property, is_static
from syncbot.api.model import Attribute, Class, Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.declared_types import Declared, by_key, cast_type, each, item, several_of
from syncbot.contracts.inference.declared_types import called as result_of_builtin
from syncbot.contracts.inference.type_arguments import type_variable
from syncbot.contracts.inference.type_variables import result_type
from syncbot.contracts.inference.values import Scope, Value

#: A question is not followed any further.
DEEPEST = 12
#: So many elements of a list that is written down are looked at.
MOST_ELEMENTS = 8
_OF_CLASS = re.compile(r"['\"]?(?:typing\.)?[tT]ype\[([^\[\]|,]+)\]['\"]?(?: *\| *None)?")


class Declarations(ABC):
    """Tells declared types in one universe; what an expression is, the class derived from this one tells.
    ``_cut`` counts the questions that were given up: too deep, or in a circle."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self._cut = 0

    @abstractmethod
    def infer(self, node: ast.expr, scope: Scope, depth: int = 0) -> Value | None:
        """The value of an expression, None where it is not known to be an upstream or backend symbol."""

    def declared(self, node: ast.expr, scope: Scope, depth: int = 0) -> Declared | None:
        """The type that an expression is declared with, None where nothing declares it."""
        if depth > DEEPEST:
            self._cut += 1
            return None

        def ask(inner: ast.expr) -> Declared | None:
            return self.declared(inner, scope, depth + 1)

        match node:
            case ast.Name(id=name):
                return self._declared_name(name, scope, depth)
            case ast.Attribute(value=inner, attr=attr):
                base = self.infer(inner, scope, depth + 1)
                return None if base is None else self._declared_attribute(base, attr, depth)
            case ast.Subscript(value=inner, slice=key):
                return item(ask(inner), key)
            case ast.Await(value=inner) | ast.NamedExpr(value=inner):
                return ask(inner)
            case (
                ast.List() | ast.Set() | ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp()
            ):
                return self._written_out(node, scope, depth + 1)
            case ast.Call() if (target := cast_type(node)) is not None:
                return Declared(scope.module, target)
            case ast.Call(func=func):
                if (found := result_of_builtin(node, ask)) is not None:
                    return found
                called = self.infer(func, scope, depth + 1)
                symbol = called.symbol if called is not None and not called.instance else None
                last = symbol.functions[-1] if symbol is not None and symbol.functions else None
                if called is None or symbol is None or last is None:
                    return None
                filled = self.by_arguments(called, node, scope, depth)
                return filled or _written(symbol.module, last.annotation)
        return None

    def _written_out(self, node: ast.expr, scope: Scope, depth: int) -> Declared | None:
        """The type of a container that is written out, or made by a comprehension."""
        match node:
            case ast.List(elts=elements) | ast.Set(elts=elements) if elements:
                return several_of([self._type_of(e, scope, depth) for e in elements[:MOST_ELEMENTS]])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return several_of([self._type_of(node.elt, _inside(node.generators, scope), depth)])
            case ast.DictComp():
                inner = _inside(node.generators, scope)
                return by_key(self._type_of(node.key, inner, depth), self._type_of(node.value, inner, depth))
        return None

    def _type_of(self, node: ast.expr, scope: Scope, depth: int) -> Declared | None:
        """The type of an expression: the one that it is declared with, or its class."""
        value = self.infer(node, scope, depth)
        if value is None or not value.instance:
            return self.declared(node, scope, depth)
        written = expression(value.symbol.qualname)
        return Declared(value.symbol.module, written) if written is not None else None

    def by_arguments(self, called: Value, call: ast.Call, scope: Scope, depth: int) -> Declared | None:
        """The type that a call of a function gives by the classes of what it passes."""
        function = called.symbol.functions[-1] if called.symbol.functions and not called.instance else None
        if function is None or not function.annotation:
            return None

        def is_variable(name: str) -> bool:
            return type_variable(self.universe, called.symbol.module, name) is not None

        def ask(passed: ast.expr, is_class: bool) -> Symbol | None:
            value = self.infer(passed, scope, depth + 1)
            fits = value is not None and value.symbol.kind == "class" and value.instance != is_class
            return value.symbol if value is not None and fits else None

        parameters = function.parameters[1:] if called.bound else function.parameters
        return result_type(call, function.annotation, parameters, is_variable, ask)

    def _of(self, declared: Declared | None) -> Value | None:
        return None if declared is None else self._annotated(declared.module, ast.unparse(declared.type))

    def _declared_name(self, name: str, scope: Scope, depth: int) -> Declared | None:
        at: Scope | None = scope
        while at is not None:
            if name in at.annotations:
                return _written(at.module, at.annotations[name])
            if name in at.inherited and name not in at.values:
                return at.inherited[name]
            if name in at.values and name not in at.active:
                if len(at.values[name]) != 1:
                    return None
                at.active.add(name)
                try:
                    return self.declared(at.values[name][0], at, depth + 1)
                finally:
                    at.active.discard(name)
            if name in at.opaque or name in at.imports:
                return None
            at = at.parent
        found = self.universe.local(scope.module, name)
        attributes = [n for n in found.nodes if isinstance(n, Attribute)] if found is not None else []
        return _written(found.module, attributes[-1].annotation) if found is not None and attributes else None

    def _declared_attribute(self, base: Value, name: str, depth: int) -> Declared | None:
        if not base.instance:
            return None
        member = self.universe.member(base.symbol, name, base.skip)
        if member is None:
            return None
        module, last = member.owner.module, member.nodes[-1]
        if isinstance(last, Function):
            return _written(module, last.annotation) if is_property(last) else None
        written = next((a.annotation for a in member.attributes if a.annotation), None)
        if written is not None:
            return _written(module, written)
        values = [a for a in member.attributes if a.value]
        node = expression(values[0].value or "") if len(values) == 1 else None
        if node is None:
            return None
        return self.declared(node, self._scope_of(module, member.owner, values[0]), depth + 1)

    def alternatives(self, node: ast.expr, scope: Scope) -> tuple[Symbol, ...]:
        """The classes of a union that an expression is declared with; none where one of them is not known."""
        told = self.declared(node, scope)
        names = named_classes(ast.unparse(told.type)) if told is not None else ()
        found = [self.universe.annotation_class(told.module, name) for name in names] if told else []
        known = {symbol.name: symbol for symbol in found if symbol is not None}
        return tuple(known.values()) if len(found) > 1 and None not in found else ()

    def _annotated(self, module: str, annotation: str | None, within: Symbol | None = None) -> Value | None:
        """What an annotation says, in a module or the body of a class: an object of a class, or with
        ``type[…]`` the class itself."""
        inner = _OF_CLASS.fullmatch(annotation or "")
        written = inner[1] if inner is not None else annotation
        found = self._nested(within, written) or self.universe.annotation_class(module, written)
        return Value(found, instance=inner is None) if found is not None else None

    def _nested(self, within: Symbol | None, annotation: str | None) -> Symbol | None:
        """The class that an annotation names and that the body of another one defines."""
        name = named_class(annotation) if within is not None and annotation else None
        if within is None or name is None or "." in name:
            return None
        if not any(isinstance(node, Class) for node in self.universe.defined(within, name)):
            return None
        return self.universe.local(within.module, f"{within.qualname}.{name}")

    def _scope_of(self, module: str, class_: Symbol | None, attribute: Attribute) -> Scope:
        """The names where an attribute is given its value."""
        if attribute.origin and class_ is not None:
            methods = self.universe.defined(class_, attribute.origin)
            method = next((f for f in methods if isinstance(f, Function)), None)
            if method is not None:
                return self.method_scope(module, class_, method)
        return Scope(module)

    def method_scope(self, module: str, class_: Symbol, method: Function) -> Scope:
        """The scope of a method that is known from its interface table alone."""
        names = [p.name for p in method.parameters]
        return Scope(
            module,
            class_=class_,
            receiver=names[0] if names and not is_static(method) else None,
            receiver_is_class=is_classmethod(method),
            annotations={p.name: p.annotation for p in method.parameters if p.annotation},
            opaque=frozenset(names),
        )

    def parameter_scope(self, module: str, function: Function) -> Scope:
        """The scope of a function outside classes, of which only the parameters are known."""
        annotations = {p.name: p.annotation for p in function.parameters if p.annotation}
        return Scope(module, annotations=annotations, opaque=frozenset(p.name for p in function.parameters))


def _inside(generators: Sequence[ast.comprehension], scope: Scope) -> Scope:
    """The names in a comprehension."""
    values: dict[str, list[ast.expr]] = {}
    for generator in generators:
        for name, value in each(generator.target, generator.iter):
            values.setdefault(name, []).append(value)
    return Scope(scope.module, parent=scope, values=values)


def _written(module: str, annotation: str | None) -> Declared | None:
    node = expression(annotation) if annotation else None
    return Declared(module, node) if node is not None else None
