"""Attributes that upstream's functions set on objects which they are handed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from syncbot.api.every_node import children
from syncbot.api.expressions import FunctionNode, dotted, named_arguments, string, text
from syncbot.api.instance_attributes import REGISTERING
from syncbot.api.remembered_answers import remembered
from syncbot.api.statements_with_word import Spelling
from syncbot.api.symbols import Symbol, is_dotted
from syncbot.api.syntax import parsed
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.inference.named_values import in_method

_NO_PARAMETERS: Mapping[str, str | None] = MappingProxyType({})


def outside_setter(name: str, class_: Symbol, pair: Comparison) -> str | None:
    """A function of the new tree that sets an attribute on a parameter which may be an object of the class,
    or on what is seen to be one: a function of a module that changed, or that a module of the class or of its
    bases imports."""
    lineage = pair.new.lineage(class_).classes
    kin = {c.name for c in lineage}
    modules = dict.fromkeys((*_around(lineage, pair), *pair.changed))
    written = (f".{name} =", f".{name}=", f".{name}:", f".{name},", f"'{name}'", f'"{name}"')
    for module in pair.new_tree.mentioning(modules, *written):
        for setter in _setters_in(pair.new_tree.source(module) or b"", name):
            if setter.receiver:
                value = in_method(pair.in_new, module, setter.function, setter.receiver)
                may_be = value is not None and value.symbol.name in kin
            else:
                handed = pair.new.annotation_class(module, setter.annotation)
                foreign = handed is None and _is_of_others(module, setter.annotation, class_, pair)
                may_be = not foreign if handed is None else handed.name in kin
            if may_be:
                # The answer depends on that module, which nobody else may have looked at.
                pair.new_tree.note((module,))
                return f"{module}.{setter.function}"
    return None


def _is_of_others(module: str, annotation: str | None, class_: Symbol, pair: Comparison) -> bool:
    """Whether an annotation names a class of another package, ``torch.nn.Module``, from which a class does
    not derive, of whose bases none is of that package."""
    table = pair.new_tree.table(module)
    if annotation is None or table is None or not is_dotted(annotation):
        return False
    sources = {i.module.partition(".")[0] for i in table.imports if i.local == annotation.partition(".")[0]}
    foreign = sources - set(pair.new_tree.packages) - sys.stdlib_module_names - {""}
    outside = {base.partition(".")[0] for base in pair.new.lineage(class_).external}
    return bool(sources) and sources == foreign and foreign.isdisjoint(outside)


def _around(lineage: tuple[Symbol, ...], pair: Comparison) -> Iterator[str]:
    """The upstream modules of some classes, and those that they import."""
    for module in dict.fromkeys(c.module for c in lineage):
        table = pair.new_tree.table(module)
        if table is None:
            continue
        yield module
        for item in table.imports:
            source = pair.new_tree.absolute(module, item.level, item.module)
            yield source
            if item.name is not None:
                yield f"{source}.{item.name}"


@dataclass(frozen=True, slots=True)
class _Setter:
    """A function that sets an attribute on a parameter, and how that one is annotated; or on what its own
    object has, the ``receiver``."""

    function: str
    annotation: str | None
    receiver: str = ""


@remembered(2048)
def _setters_in(source: bytes, name: str) -> tuple[_Setter, ...]:
    """The functions of one text that set an attribute of that name on a parameter."""
    tree = parsed(source)
    return () if tree is None else tuple(_setters(tree, name, Spelling(source, name)))


def _setters(
    node: ast.AST,
    name: str,
    spelling: Spelling,
    scope: str = "",
    parameters: Mapping[str, str | None] = _NO_PARAMETERS,
) -> Iterator[_Setter]:
    for child in children(node):
        if spelling.lacks(child):
            continue
        given = _given_to(child, name)
        if given in parameters:
            yield _Setter(scope, parameters[given])
        elif given.startswith("self."):
            yield _Setter(scope, None, given)
        inner, known = scope, parameters
        if isinstance(child, FunctionNode | ast.ClassDef):
            inner = f"{scope}.{child.name}" if scope else child.name
        if isinstance(child, FunctionNode):
            known = {**parameters, **_parameters(child, isinstance(node, ast.ClassDef))}
        yield from _setters(child, name, spelling, inner, known)


def _parameters(function: FunctionNode, method: bool) -> dict[str, str | None]:
    """The parameters of a function with their annotations, the object that a method is called on left out."""
    arguments = named_arguments(function.args)
    static = any(text(decorator) == "staticmethod" for decorator in function.decorator_list)
    return {a.arg: text(a.annotation) for a in arguments[1 if method and not static else 0 :]}


def _given_to(node: ast.AST, name: str) -> str:
    """The dotted name on which a node sets the attribute, empty where it sets none."""
    match node:
        case ast.Assign(targets=targets):
            for target in targets:
                parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                if found := next(filter(None, (_owner(part, name) for part in parts)), ""):
                    return found
        case ast.AnnAssign(target=target, value=ast.expr()):
            return _owner(target, name)
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=owner), named, _]):
            return owner if string(named) == name else ""
        # What a module of torch registers is an attribute of it.
        case ast.Call(func=ast.Attribute(value=owner, attr=called), args=[named, *_]) if (
            called in REGISTERING
        ):
            return (dotted(owner) or "") if string(named) == name else ""
    return ""


def _owner(target: ast.expr, name: str) -> str:
    match target:
        case ast.Attribute(value=owner, attr=attribute) if attribute == name:
            return dotted(owner) or ""
    return ""
