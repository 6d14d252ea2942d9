"""Which type an expression of the backend or of upstream is declared with."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from syncbot.api.annotated_classes import named_class, named_classes
from syncbot.api.expressions import expression, is_none
from syncbot.api.filled_containers import is_empty
from syncbot.api.methods import is_property
from syncbot.api.model import Attribute, Class, Function
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.containers import Containers, given_value
from syncbot.contracts.inference.declared_types import Ask, Declared, cast_type, item, looped, written
from syncbot.contracts.inference.declared_types import called as result_of_builtin
from syncbot.contracts.inference.type_arguments import type_variable
from syncbot.contracts.inference.type_variables import result_type
from syncbot.contracts.inference.values import Scope, Value

#: A question is not followed any further.
DEEPEST = 12
# A variable that is given more is not looked at.
_MOST_GIVEN = 4
_OF_CLASS = re.compile(r"['\"]?(?:typing\.)?[tT]ype\[([^\[\]|,]+)\]['\"]?(?: *\| *None)?")


class Declarations(Containers):
    """Tells declared types in one universe; what an expression is, the class derived from this one tells.
    ``_cut`` counts the questions that were given up: too deep, or in a circle."""

    def __init__(self, universe: Universe) -> None:
        super().__init__(universe)
        self._cut = 0

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
                return item(ask(inner), key) or self.item_of(inner, key, scope, depth)
            case ast.Await(value=inner) | ast.NamedExpr(value=inner):
                return ask(inner)
            case (
                ast.List() | ast.Set() | ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp()
            ):
                return self.written_out(node, scope, depth + 1)
            case ast.Call() if (target := cast_type(node)) is not None:
                return Declared(scope.module, target)
            case ast.Call():
                return self._declared_call(node, ask, scope, depth)
            case ast.BoolOp(op=ast.Or(), values=several):
                return _the_one(several, ask)
            case ast.IfExp(body=body, orelse=orelse):
                return _the_one([body, orelse], ask)
        return None

    def _declared_call(self, node: ast.Call, ask: Ask, scope: Scope, depth: int) -> Declared | None:
        """The type that a call is declared to give."""
        if (found := result_of_builtin(node, ask)) is not None:
            return found
        if (several := looped(node)) is not None:
            return self.element_of(several, scope, depth)
        called = self.infer(node.func, scope, depth + 1)
        symbol = called.symbol if called is not None and not called.instance else None
        last = symbol.functions[-1] if symbol is not None and symbol.functions else None
        if called is None or symbol is None or last is None:
            return None
        filled = self.by_arguments(called, node, scope, depth)
        return filled or written(symbol.module, last.annotation) or self.built(symbol, last, depth)

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
            if name in at.annotations and name not in at.inherited:
                return written(at.module, at.annotations[name])
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
        return written(found.module, attributes[-1].annotation) if found is not None and attributes else None

    def _declared_attribute(self, base: Value, name: str, depth: int) -> Declared | None:
        if not base.instance:
            return None
        member = self.universe.member(base.symbol, name, base.skip)
        if member is None:
            return None
        module, last = member.owner.module, member.nodes[-1]
        if isinstance(last, Function):
            return written(module, last.annotation) if is_property(last) else None
        annotation = next((a.annotation for a in member.attributes if a.annotation), None)
        if annotation is not None:
            return written(module, annotation)
        return self._given_type_of(member, depth) or self._declared_above(base, member)

    def _given_type_of(self, member: Member, depth: int) -> Declared | None:
        """The type of the one thing that a class gives an attribute without a type: empty containers, which
        say nothing, are counted only where there is nothing else."""
        values = [a for a in member.attributes if a.value and a.value != "None"]
        full = [a for a in values if not is_empty(a.value or "")]
        if len(full or values) != 1:
            return None
        (one,) = full or values
        if (put := self.put_into(member.owner, member.name, one.value or "", depth)) is not None:
            return put
        node = expression(one.value or "")
        scope = self._scope_of(member.owner.module, member.owner, one)
        return self.declared(node, scope, depth + 1) if node is not None else None

    def _declared_above(self, base: Value, member: Member) -> Declared | None:
        """The type that a base declares an attribute with to which a class gives what nothing is known of."""
        above = self.above(base.symbol, member)
        annotation = next((a.annotation for a in above.attributes if a.annotation), None) if above else None
        return written(above.owner.module, annotation) if above is not None else None

    def above(self, class_: Symbol, member: Member) -> Member | None:
        """The same member of the next base of a class that has it."""
        classes = self.universe.lineage(class_).classes
        places = (place for place, each in enumerate(classes) if each.name == member.owner.name)
        place = next(places, None)
        return self.universe.member(class_, member.name, place + 1) if place is not None else None

    def alternatives(self, node: ast.expr, scope: Scope, depth: int = 0) -> tuple[Symbol, ...]:
        """The classes of a union that an expression is declared with, or of whose objects a class puts one in
        an attribute in each of several places; none where one of them is not known."""
        if not isinstance(node, ast.Attribute):
            return self._named_by(self.declared(node, scope, depth))
        base = self.infer(node.value, scope, depth + 1)
        return self.alternatives_in(base, node.attr, depth) if base is not None else ()

    def alternatives_in(self, base: Value, name: str, depth: int = 0) -> tuple[Symbol, ...]:
        """The same for an attribute of a value."""
        told = self._declared_attribute(base, name, depth)
        return self._named_by(told) if told is not None else self._put_classes(base, name, depth)

    def _named_by(self, told: Declared | None) -> tuple[Symbol, ...]:
        """The classes that a declared type names, if there are several and all of them are known."""
        names = named_classes(ast.unparse(told.type)) if told is not None else ()
        found = [self.universe.annotation_class(told.module, name) for name in names] if told else []
        known = {symbol.name: symbol for symbol in found if symbol is not None}
        return tuple(known.values()) if len(found) > 1 and None not in found else ()

    def given_classes(self, node: ast.Name, scope: Scope) -> tuple[Symbol, ...]:
        """The classes of the objects that a function gives a variable, None left out; none where one of them
        is not known."""
        if node.id in scope.annotations or node.id in scope.opaque:
            return ()
        given = [v for v in scope.values.get(node.id, ()) if not is_none(v)]
        if not 1 < len(given) <= _MOST_GIVEN:
            return ()
        return _all_known([self.infer(value, scope) for value in given])

    def _put_classes(self, base: Value, name: str, depth: int) -> tuple[Symbol, ...]:
        """The classes of the objects that a class puts in an attribute without a type, None left out."""
        member = self.universe.member(base.symbol, name, base.skip) if base.instance else None
        if member is None or any(a.annotation for a in member.attributes):
            return ()
        put = [a for a in member.attributes if a.value and a.value != "None"]
        if not 1 < len(put) <= _MOST_GIVEN or len(member.nodes) != len(member.attributes):
            return ()
        owner, values = member.owner, list[Value | None]()
        for attribute in put:
            written = given_value(attribute)
            of = self._scope_of(owner.module, owner, attribute)
            values.append(self.infer(written, of, depth + 1) if written is not None else None)
        return _all_known(values)

    def _annotated(self, module: str, annotation: str | None, within: Symbol | None = None) -> Value | None:
        """Return what an annotation says, in a module or the body of a class: an object of a class, or with
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


def _the_one(several: Sequence[ast.expr], ask: Ask) -> Declared | None:
    """The type of what may be one of several, empty containers and None left out; None for two."""
    full = [one for one in several if not is_none(one) and not is_empty(ast.unparse(one))]
    return ask(full[0]) if len(full) == 1 else None


def _all_known(values: Sequence[Value | None]) -> tuple[Symbol, ...]:
    """The classes of which values are objects; none where one of them is not known."""
    known = [v.symbol for v in values if v is not None and v.instance and v.symbol.kind == "class"]
    return tuple({s.name: s for s in known}.values()) if len(known) == len(values) else ()
