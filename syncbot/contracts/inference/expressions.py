"""Which upstream class or symbol an expression of the backend is: enough type inference to see contracts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from syncbot.api.expressions import dotted, expression
from syncbot.api.methods import is_classmethod, is_property, is_static
from syncbot.api.model import Attribute, Class, Function
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.called_objects import called_method
from syncbot.contracts.inference.containers import given_value
from syncbot.contracts.inference.declarations import DEEPEST
from syncbot.contracts.inference.declared_types import (
    Declared,
    cast_type,
    element,
    gives_element,
    passed_through,
    result_of,
)
from syncbot.contracts.inference.handed_values import handed_to_base
from syncbot.contracts.inference.local_imports import imported_result
from syncbot.contracts.inference.modules_by_name import module_by_name
from syncbot.contracts.inference.names_in_scopes import NamesInScopes
from syncbot.contracts.inference.parameter_types import Placed, hook_specifications
from syncbot.contracts.inference.result_decorators import give_what_is_yielded, keep_result
from syncbot.contracts.inference.told_classes import object_of
from syncbot.contracts.inference.type_arguments import argument_for
from syncbot.contracts.inference.values import Scope, Value

#: Functions that copy an object, with other values in some fields or without.
COPIES = {
    *("copy.copy", "copy.deepcopy", "copy.replace", "dataclasses.replace", "msgspec.structs.replace"),
    *("attr.evolve", "attrs.evolve"),
}
_COPYING = {name.rpartition(".")[2] for name in COPIES}
_ENTERING = ("__enter__", "__aenter__")


class Inference(NamesInScopes):
    """Infers values in one universe; ``own_names`` are attribute names that the backend itself defines."""

    def __init__(self, universe: Universe, own_names: frozenset[str] = frozenset()) -> None:
        super().__init__(universe)
        self.own_names = own_names
        self._members: dict[tuple[str, str], tuple[Value | None, frozenset[str]]] = {}
        self._active: set[tuple[str, str]] = set()
        self._hooks: tuple[dict[str, Placed], frozenset[str]] | None = None

    def hook(self, name: str, upstream: Sequence[str]) -> Placed | None:
        """The specification of a hook of that name in the upstream packages."""
        if self._hooks is None:
            with self.universe.watch() as seen:
                specified = hook_specifications(self.universe, upstream)
            self._hooks = (specified, frozenset(seen()))
        found = self._hooks[0].get(name)
        if found is not None:
            self.universe.replay(self._hooks[1])
        return found

    def infer(self, node: ast.expr, scope: Scope, depth: int = 0) -> Value | None:
        """The value of an expression, None where it is not known to be an upstream or backend symbol."""
        if depth > DEEPEST:
            self._cut += 1
            return None
        match node:
            case ast.Name() | ast.Attribute() if (told := self._narrowed(node, scope, depth)) is not None:
                return told
            case ast.Name(id=name):
                return self._guarded(node, self._name(name, scope, depth), scope, depth)
            case ast.Attribute():
                base = self.infer(node.value, scope, depth + 1)
                found = None if base is None else self.attribute(base, node.attr, depth)
                return self._guarded(node, found, scope, depth)
            case ast.Call() | ast.Subscript() if named := module_by_name(node, scope, self.universe):
                module = self.universe.resolve(named)
                return Value(module) if module is not None and module.kind == "module" else None
            case ast.Call():
                return self._call(node, scope, depth)
            case ast.Subscript():
                return self._of(self.declared(node, scope, depth + 1)) or self.in_table(node, scope, depth)
            case ast.Await(value=inner) | ast.NamedExpr(value=inner):
                return self.infer(inner, scope, depth + 1)
            case ast.IfExp(body=body, orelse=orelse):
                return self.infer(body, scope, depth + 1) or self.infer(orelse, scope, depth + 1)
            case ast.BoolOp(values=values):
                return next((v for e in values if (v := self.infer(e, scope, depth + 1))), None)
            case _:
                return None

    def attribute_in(
        self, node: ast.Attribute, scope: Scope, base: Callable[[], Value | None]
    ) -> Value | None:
        """The same for an attribute, where the value left of the dot need not be inferred anew."""
        told = self._narrowed(node, scope, 0)
        if told is not None:
            return told
        value = base()
        found = None if value is None else self.attribute(value, node.attr)
        return self._guarded(node, found, scope, 0)

    def _call(self, node: ast.Call, scope: Scope, depth: int) -> Value | None:
        """The value of a call."""
        match node:
            case ast.Call(func=ast.Name(id="super"), args=[]):
                return self._super(scope)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]):
                base = self.infer(owner, scope, depth + 1)
                return None if base is None else self.attribute(base, name, depth)
            case ast.Call() if (target := cast_type(node)) is not None:
                named = self.infer(target, scope, depth + 1)
                return object_of(named) if named is not None else self._of(Declared(scope.module, target))
            case ast.Call(func=ast.Name(id="type"), args=[thing], keywords=[]):
                return _class_of(self.infer(thing, scope, depth + 1))
            case ast.Call(func=ast.Attribute(value=ast.Call(func=maker) as made, attr=attr)) if (
                attr in _ENTERING and self._yields(maker, scope, depth)
            ):
                return self._of(element(self.declared(made, scope, depth + 1)))
        if (same := passed_through(node)) is not None:
            return self.infer(same, scope, depth + 1)
        called = self.infer(node.func, scope, depth + 1)
        if called is not None:
            return self.result(called) or self._of(self.by_arguments(called, node, scope, depth))
        if gives_element(node.func):
            return self._of(self.declared(node, scope, depth + 1))
        if (given := result_of(self.declared(node.func, scope, depth + 1))) is not None:
            return self._of(given)
        if self._copies(node, scope):
            return self.infer(node.args[0], scope, depth + 1)
        return self._by_each(node.func, scope, depth) if isinstance(node.func, ast.Attribute) else None

    def _by_each(self, method: ast.Attribute, scope: Scope, depth: int) -> Value | None:
        """Return what a method gives of an object that may be of several classes, if all of them give the
        same."""
        results: set[Value | None] = set()
        for class_ in self.alternatives(method.value, scope, depth + 1):
            called = self.attribute(Value(class_, instance=True), method.attr, depth)
            results.add(self.result(called) if called is not None else None)
        return results.pop() if len(results) == 1 else None

    def _copies(self, node: ast.Call, scope: Scope) -> bool:
        """Whether a call gives an object of the class of its first argument."""
        written = dotted(node.func) if node.args else None
        if written is None or written.rpartition(".")[2] not in _COPYING:
            return False
        return self.universe.external_name(scope.module, written) in COPIES

    def _yields(self, maker: ast.expr, scope: Scope, depth: int) -> bool:
        """Whether a function gives to a ``with`` statement what it yields."""
        called = self.infer(maker, scope, depth + 1)
        functions = called.symbol.functions if called is not None and not called.instance else ()
        return bool(functions) and give_what_is_yielded(functions[-1].decorators)

    def attribute(self, base: Value, name: str, depth: int = 0) -> Value | None:
        """The value of ``base.name``."""
        if name == "__class__" and base.instance:
            return _class_of(base)
        if not base.instance:
            if base.symbol.kind == "function":
                return None
            found = self.universe.attribute(base.symbol, name)
            if found is None or found.kind == "unknown":
                return None
            if found.kind == "variable":
                return self._variable(found, depth)
            return Value(found, bound=any(map(is_classmethod, found.functions)))
        member = self.universe.member(base.symbol, name, base.skip)
        value = self.member(member, depth) if member is not None else None
        if member is not None and value is None:
            above = self._put_back(base.symbol, member)
            if above is not None:
                return self.member(above, depth)
            return self._of(self._by_type_argument(base.symbol, member))
        if member is None or value is None or value.instance or value.symbol.kind != "class":
            return value
        return self._class_handed(base.symbol, member, value, depth)

    def _put_back(self, class_: Symbol, member: Member) -> Member | None:
        """The member of a base that a class only sets to None: what else it holds, it holds from there."""
        put_back = all(isinstance(n, Attribute) and n.value == "None" for n in member.nodes)
        return self.above(class_, member) if put_back else None

    def _by_type_argument(self, class_: Symbol, member: Member) -> Declared | None:
        """The type of a member that a generic class leaves to those that derive from it."""
        last = member.nodes[-1]
        values = isinstance(last, Attribute) or (isinstance(last, Function) and is_property(last))
        written = [n.annotation for n in member.nodes if not isinstance(n, Class) and n.annotation]
        if not values or not written:
            return None
        return argument_for(self.universe, class_, member.owner, written[0])

    def _class_handed(self, class_: Symbol, member: Member, default: Value, depth: int) -> Value | None:
        """The class that a member holds which a derived class's constructor may hand to its base."""
        handed = handed_to_base(self.universe, class_, member)
        if handed is None:
            return default
        scope = self.method_scope(handed.owner.module, handed.owner, handed.constructor)
        return self.infer(handed.value, scope, depth + 1)

    def member(self, member: Member, depth: int = 0) -> Value | None:
        """The value of a member reached through an instance."""
        key = (member.owner.name, member.name)
        known = self._members.get(key)
        if known is not None:
            self.universe.replay(known[1])
            return known[0]
        if key in self._active:
            self._cut += 1
            return None
        self._active.add(key)
        before = self._cut
        try:
            with self.universe.watch() as seen:
                value = self._member(member, depth)
        finally:
            self._active.discard(key)
        # What was told without following a circle or a deep chain to its end holds for nobody else.
        if self._cut == before:
            self._members[key] = (value, frozenset(seen()))
        return value

    def result(self, called: Value) -> Value | None:
        """The value of calling something."""
        if called.instance:
            call = called_method(self.universe, called.symbol)
            return None if call is None else self._returned(call.owner.module, call.functions)
        if called.symbol.kind == "class":
            return Value(called.symbol, instance=True)
        if called.symbol.kind == "function":
            return self._returned(called.symbol.module, called.symbol.functions, called.symbol)
        return None

    def _symbol(self, symbol: Symbol, depth: int) -> Value | None:
        if symbol.kind == "unknown":
            return None
        if symbol.kind == "variable":
            return self._variable(symbol, depth)
        # A name that stands for a class method stands for the bound one.
        return Value(symbol, bound=any(map(is_classmethod, symbol.functions)))

    def _variable(self, symbol: Symbol, depth: int) -> Value | None:
        owner = symbol.qualname.rpartition(".")[0]
        class_ = self.universe.local(symbol.module, owner) if owner else None
        attributes = [n for n in symbol.nodes if isinstance(n, Attribute)]
        return self._assigned(symbol.module, class_, attributes, depth)

    def _member(self, member: Member, depth: int) -> Value | None:
        last = member.nodes[-1]
        if isinstance(last, Class):
            return Value(
                Symbol("class", member.owner.module, f"{member.owner.qualname}.{last.name}", (last,))
            )
        if isinstance(last, Function):
            if is_property(last):
                name = f"{member.owner.qualname}.{last.name}"
                whole = Symbol("function", member.owner.module, name, member.nodes)
                return self._returned(member.owner.module, member.functions, whole)
            symbol = Symbol(
                "function", member.owner.module, f"{member.owner.qualname}.{last.name}", member.nodes
            )
            return Value(symbol, bound=not is_static(last))
        return self._assigned(member.owner.module, member.owner, list(member.attributes), depth)

    def _assigned(
        self, module: str, class_: Symbol | None, attributes: list[Attribute], depth: int
    ) -> Value | None:
        for attribute in attributes:
            if (found := self._annotated(module, attribute.annotation, class_)) is not None:
                return found
        if depth > DEEPEST:
            self._cut += 1
            return None
        return self._agreed([self._from_text(module, class_, a, depth + 1) for a in attributes if a.value])

    def _from_text(self, module: str, class_: Symbol | None, given: Attribute, depth: int) -> Value | None:
        scope = self._scope_of(module, class_, given)
        written = given_value(given)
        return self.infer(written, scope, depth) if written is not None else None

    def _returned(
        self, module: str, functions: tuple[Function, ...], symbol: Symbol | None = None
    ) -> Value | None:
        for function in reversed(functions):
            annotation = function.annotation
            if annotation in ("Self", "typing.Self") and symbol is not None and "." in symbol.qualname:
                owner = self.universe.local(module, symbol.qualname.rpartition(".")[0])
                return Value(owner, instance=True) if owner is not None else None
            if (annotated := self._annotated(module, annotation)) is not None:
                return annotated
            if (made := self._made(module, function, symbol)) is not None:
                return made
        return None

    def _made(self, module: str, function: Function, symbol: Symbol | None) -> Value | None:
        """Return what a function without an annotation is seen to return."""
        written = expression(function.result) if function.result else None
        owner = symbol.qualname.rpartition(".")[0] if symbol is not None else ""
        own = None if written is not None else imported_result(self.universe, module, function, owner)
        written = own.expression if own is not None else written
        key = (module, f"{symbol.qualname if symbol is not None else function.name}()")
        if written is None or key in self._active or not keep_result(function.decorators):
            return None
        scope = self.result_scope(module, symbol, function)
        if own is not None:
            scope = replace(scope, imports={own.name: own.imported})
        self._active.add(key)
        try:
            return self.infer(written, scope, len(self._active))
        finally:
            self._active.discard(key)


def _class_of(value: Value | None) -> Value | None:
    return Value(value.symbol) if value is not None and value.instance and not value.skip else None
