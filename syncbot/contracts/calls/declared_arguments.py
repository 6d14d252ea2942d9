"""The written arguments of a call, compared with the types that parameters are declared with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from syncbot.api.annotated_classes import named_class
from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, expression
from syncbot.api.model import Function, Parameter
from syncbot.api.signatures import Signature
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.annotation_differences import builtin_name
from syncbot.contracts.calls.literal_types import literal_type
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node

#: Built-in types by the names of what declares them.
_DECLARING = {
    "dict": {"dict", "Mapping", "MutableMapping"},
    "list": {"list", "Sequence", "MutableSequence", "Iterable", "Collection"},
    "set": {"set", "AbstractSet", "MutableSet", "Iterable", "Collection"},
    "tuple": {"tuple", "Sequence", "Iterable", "Collection"},
    "str": {"str"},
    "int": {"int"},
    "float": {"float"},
    "bool": {"bool"},
}
# A list of classes, not of objects.
CLASSES = "list of classes"
_ORDINARY = {"object", "ABC", "Enum", "Generic"}
# Functions that tell types apart, or make one of another.
_TESTING = {
    *("isinstance", "issubclass", "type", "hasattr", "getattr", "callable"),
    *("dict", "list", "tuple", "str"),
}
_HARMLESS = {"staticmethod", "classmethod", "abstractmethod", "abc.abstractmethod", "override"}


def passed_types(node: ast.Call, context: Context) -> Iterator[tuple[str, str]]:
    """The types of what a call is written with, by place (``0``) or keyword, names left out."""
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            break
        if type_ := written_type(argument, context):
            yield str(place), type_
    for keyword in node.keywords:
        if keyword.arg and (type_ := written_type(keyword.value, context)):
            yield keyword.arg, type_


def written_type(node: ast.expr, context: Context) -> str:
    """The built-in type of what an expression is written as, empty where its form does not tell."""
    match node:
        case ast.List(elts=[_, *_] as elements) if all(
            isinstance(e, ast.Name | ast.Attribute) for e in elements
        ):
            values = [context.infer(e) for e in elements]
            if all(v is not None and not v.instance and v.symbol.kind == "class" for v in values):
                return CLASSES
    return literal_type(node)


def parameter(signature: Signature, key: str) -> Parameter | None:
    """The parameter that a place or a keyword fills."""
    if not key.isdecimal():
        return signature.get(key)
    place = int(key)
    return signature.positional[place] if place < len(signature.positional) else None


def allowed(annotation: str | None, type_: str) -> bool:
    """Whether an annotation says that it allows what is passed."""
    node = expression(annotation or "")
    if type_ == CLASSES:
        inside = _elements(node)
        return isinstance(inside, ast.Subscript) and _head(inside.value) == "type"
    return any(_head(member) in _DECLARING[type_] for member in _members(node))


def excluded(universe: Universe, module: str, annotation: str | None, type_: str) -> Symbol | None:
    """The one upstream class that an annotation asks for, None where what is passed may be one of it."""
    if type_ == CLASSES:
        node = _elements(expression(annotation or ""))
        annotation = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else None
    elif annotation is not None and named_class(annotation) is None:
        return None
    class_ = universe.annotation_class(module, annotation)
    if class_ is None:
        return None
    lineage = universe.lineage(class_)
    bases = [*lineage.external, *(b for c in lineage.classes if c.class_ is not None for b in c.class_.bases)]
    known = {c.qualname for c in lineage.classes} | _ORDINARY
    heads = {base.partition("[")[0].rpartition(".")[2] for base in bases}
    made = any("metaclass=" in k for c in lineage.classes if c.class_ is not None for k in c.class_.keywords)
    return None if made or heads - known else class_


def converts(universe: Universe, module: str, function: Function, owner: str, name: str, class_: str) -> bool:
    """Whether a function may take something else too: it tests the parameter or makes an object of it (of the
    class that is called so), or something around it may."""
    if any(d.partition("(")[0] not in _HARMLESS for d in function.decorators):
        return True
    node = function_node(universe, module, function, owner)
    return node is None or any(_converting(node, name, class_))


def _converting(node: FunctionNode, name: str, class_: str) -> Iterator[bool]:
    for inner in every_node(node):
        match inner:
            case ast.Call(func=func, args=args, keywords=keywords):
                given = [*args, *(k.value for k in keywords)]
                called = dotted(func) or ""
                concerned = any(isinstance(a, ast.Name) and a.id == name for a in given)
                yield concerned and (class_ in called.split(".") or called in _TESTING)
            case ast.Match(subject=ast.Name(id=tested)):
                yield tested == name


def _members(node: ast.expr | None) -> Iterator[ast.expr]:
    """The types of a union, of a text in quotes too."""
    match node:
        case ast.Constant(value=str(text)):
            yield from _members(expression(text))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _members(left)
            yield from _members(right)
        case ast.Subscript(value=value, slice=inside) if _head(value) in ("Optional", "Union"):
            for part in inside.elts if isinstance(inside, ast.Tuple) else [inside]:
                yield from _members(part)
        case ast.expr():
            yield node


def _elements(node: ast.expr | None) -> ast.expr | None:
    """Return what the elements of the one list of an annotation are declared to be."""
    lists = [m for m in _members(node) if not (isinstance(m, ast.Constant) and m.value is None)]
    match lists:
        case [ast.Subscript(slice=inside) as only] if _head(only) in _DECLARING["list"]:
            return inside
    return None


def _head(node: ast.expr) -> str:
    whole = node.value if isinstance(node, ast.Subscript) else node
    return builtin_name((dotted(whole) or "").rpartition(".")[2])


def differing(
    old: Signature, new: Signature, types: Mapping[str, str]
) -> Iterator[tuple[Parameter, Parameter, str]]:
    """The parameters, before and after, that are filled and declared otherwise now, with the type passed."""
    if old == new:
        return
    for key, type_ in types.items():
        was, now = parameter(old, key), parameter(new, key)
        if was is not None and now is not None and was.name == now.name and was.annotation != now.annotation:
            yield was, now, type_
