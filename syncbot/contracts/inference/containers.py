"""Types of containers that nothing declares, told by what is put into them."""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from syncbot.api.expressions import expression
from syncbot.api.filled_containers import is_empty, is_mapping
from syncbot.api.methods import is_classmethod, is_static
from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.declared_types import (
    Declared,
    by_key,
    each,
    element,
    several_of,
    side_by_side,
    written,
)
from syncbot.contracts.inference.named_tuples import tuple_fields
from syncbot.contracts.inference.result_decorators import give_what_is_yielded, keep_result
from syncbot.contracts.inference.values import Scope, Value


class TableScopes:
    """Makes them in one universe."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe

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

    def result_scope(self, module: str, symbol: Symbol | None, function: Function) -> Scope:
        """The names where a function says what it returns."""
        owner = symbol.qualname.rpartition(".")[0] if symbol is not None else ""
        class_ = self.universe.local(module, owner) if owner else None
        if class_ is not None and class_.kind == "class":
            return self.method_scope(module, class_, function)
        return self.parameter_scope(module, function)


def item_of(universe: Universe, class_: Symbol, key: ast.expr) -> Declared | None:
    """The type of ``thing[key]``: of a field of a named tuple, or what ``__getitem__`` is said to give."""
    if isinstance(key, ast.Slice):
        return None
    match key:
        case ast.Constant(value=int(place)) if tuple_fields(universe, class_) is not None:
            return _field(universe, class_, place)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(place))) if (
            tuple_fields(universe, class_) is not None
        ):
            return _field(universe, class_, -place)
    return _declared(universe, class_, "__getitem__")


def _field(universe: Universe, class_: Symbol, place: int) -> Declared | None:
    """The type of a field of a named tuple."""
    for one in universe.lineage(class_).classes:
        body = universe.body(one)
        fields = [a for a in body.attributes if a.annotation] if body is not None else []
        if fields and -len(fields) <= place < len(fields):
            return written(one.module, fields[place].annotation)
    return None


def _declared(universe: Universe, class_: Symbol, method: str) -> Declared | None:
    """Return what a method of a class is declared to return."""
    found = universe.member(class_, method)
    functions = found.functions if found is not None else ()
    return written(found.owner.module, functions[-1].annotation) if found is not None and functions else None


#: So many elements of a list that is written down are looked at.
MOST_ELEMENTS = 8
_CALLED = re.compile(r"^([A-Za-z_][\w.]*)\(")


class Containers(TableScopes, ABC):
    """Tells them in one universe."""

    def __init__(self, universe: Universe) -> None:
        super().__init__(universe)
        self._building: set[tuple[str, str]] = set()

    @abstractmethod
    def infer(self, node: ast.expr, scope: Scope, depth: int = 0) -> Value | None:
        """The value of an expression, None where it is not known to be an upstream or backend symbol."""

    @abstractmethod
    def declared(self, node: ast.expr, scope: Scope, depth: int = 0) -> Declared | None:
        """The type that an expression is declared with, None where nothing declares it."""

    def type_of(self, node: ast.expr, scope: Scope, depth: int = 0) -> Declared | None:
        """The type of an expression: the one that it is declared with, or its class."""
        value = self.infer(node, scope, depth)
        if value is None or not value.instance:
            return self.declared(node, scope, depth)
        written = expression(value.symbol.qualname)
        return Declared(value.symbol.module, written) if written is not None else None

    def written_out(self, node: ast.expr, scope: Scope, depth: int) -> Declared | None:
        """The type of a container that is written out, or made by a comprehension."""
        match node:
            case ast.List(elts=elements) | ast.Set(elts=elements) if elements:
                return several_of([self.type_of(e, scope, depth) for e in elements[:MOST_ELEMENTS]])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return several_of([self.type_of(node.elt, _inside(node.generators, scope), depth)])
            case ast.DictComp():
                inner = _inside(node.generators, scope)
                return by_key(self.type_of(node.key, inner, depth), self.type_of(node.value, inner, depth))
        return None

    def item_of(self, node: ast.expr, key: ast.expr, scope: Scope, depth: int) -> Declared | None:
        """Return what subscripting an object of a class gives."""
        value = self.infer(node, scope, depth + 1)
        return item_of(self.universe, value.symbol, key) if value is not None and value.instance else None

    def element_of(self, node: ast.expr, scope: Scope, depth: int) -> Declared | None:
        """Return what iterating over an object of a class gives."""
        value = self.infer(node, scope, depth + 1)
        told = (
            self.universe.member(value.symbol, "__iter__") if value is not None and value.instance else None
        )
        if told is None or not told.functions:
            return None
        last = told.functions[-1]
        whole = Symbol("function", told.owner.module, f"{told.owner.qualname}.__iter__", told.nodes)
        return element(written(told.owner.module, last.annotation) or self.built(whole, last, depth))

    def built(self, symbol: Symbol, function: Function, depth: int) -> Declared | None:
        """The type of the tuple that a function without an annotation is seen to return, or of a list of what
        it yields."""
        built = expression(function.result) if function.result[:1] in ("(", "[") else None
        known = (symbol.name, function.name)
        if not isinstance(built, ast.Tuple | ast.List) or known in self._building:
            return None
        if not keep_result(function.decorators) and not give_what_is_yielded(function.decorators):
            return None
        scope = self.result_scope(symbol.module, symbol, function)
        self._building.add(known)
        try:
            types = [self.type_of(part, scope, depth + 1) for part in built.elts]
        finally:
            self._building.discard(known)
        return several_of(types) if isinstance(built, ast.List) else side_by_side(types)

    def put_into(self, owner: Symbol, name: str, empty: str, depth: int) -> Declared | None:
        """The type of a container that a class begins as an empty one, by what its methods put into it."""
        body = self.universe.body(owner) if is_empty(empty) else None
        rows = body.filled if body is not None else ()
        put = [row for row in rows if row.name == name][:MOST_ELEMENTS]
        types = [self._given_type(owner, row, depth) for row in put]
        whole = several_of(types) if types else None
        return by_key(None, types[0]) if whole is not None and is_mapping(empty) else whole

    def _given_type(self, owner: Symbol, given: Attribute, depth: int) -> Declared | None:
        """The type of what a method gives to an attribute."""
        node = given_value(given)
        scope = self._scope_of(owner.module, owner, given)
        return self.type_of(node, scope, depth + 1) if node is not None else None


def given_value(attribute: Attribute) -> ast.expr | None:
    """Return what an attribute is given; of a long call that the table cuts, the call without its
    arguments."""
    written = expression(attribute.value or "")
    if written is None and (cut := _CALLED.match(attribute.value or "")) is not None:
        return expression(f"{cut[1]}()")
    return written


def _inside(generators: Sequence[ast.comprehension], scope: Scope) -> Scope:
    """The names in a comprehension."""
    values: dict[str, list[ast.expr]] = {}
    for generator in generators:
        for name, value in each(generator.target, generator.iter):
            values.setdefault(name, []).append(value)
    return Scope(scope.module, parent=scope, values=values)
