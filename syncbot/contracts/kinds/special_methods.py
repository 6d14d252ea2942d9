"""The backend uses upstream's objects by an operator, a statement or a function of Python's: their class has
to have the special method behind it, or the base that it comes from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.expressions import dotted
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import asked, lacking, surely_lacks
from syncbot.contracts.attributes.class_decorators import keep_members
from syncbot.contracts.attributes.operands import ORDERING, operands, reflected
from syncbot.contracts.calls.literal_types import literal_type
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.named_tuples import tuple_fields
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

# What tuples do with the names of their fields (https://docs.python.org/3/library/collections.html).
_OF_NAMED_TUPLES = {"_replace", "_asdict", "_fields"}
# What models of pydantic have (https://docs.pydantic.dev/latest/api/base_model).
_OF_MODELS = {
    *("model_dump", "model_dump_json", "model_copy", "model_validate", "model_validate_json", "model_fields"),
    *("model_construct", "model_fields_set", "model_extra", "model_json_schema"),
}
_NO_DATA_CLASSES = {"BaseModel", "Struct", "NamedTuple", "Enum", "Protocol", "Generic", "ABC", "object"}
# What other ways there are to do the same.
_INSTEAD = {"__contains__": ("__iter__", "__getitem__"), "__iter__": ("__getitem__",)}
DATA_CLASS = "__dataclass_fields__"
_OF_DATA_CLASSES = {f"dataclasses.{name}" for name in ("replace", "asdict", "astuple", "fields")}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialMethodContract(Contract):
    """An object of ``symbol`` is asked for the special method ``asked``, by an operator with an object of the
    class ``other`` beside it, or with something unknown (``?``)."""

    asked: str
    other: str = ""


@finder(
    ast.Subscript,
    ast.For,
    ast.comprehension,
    ast.Starred,
    ast.BinOp,
    ast.UnaryOp,
    ast.Await,
    ast.Compare,
    ast.Assign,
)
def find_operators(node: ast.AST, context: Context) -> Iterator[SpecialMethodContract]:
    """``x[0]``, ``for … in x``, ``*x``, ``x - 1``, ``x < 1``, ``-x``, ``await x``, ``1 in x`` and
    ``a, b = x``."""
    match node:
        case ast.Subscript(value=value) | ast.For(iter=value) | ast.comprehension(iter=value):
            yield from _asked(value, asked(value, node), node, context)
        case ast.Starred(value=value, ctx=ast.Load()) | ast.UnaryOp(operand=value):
            yield from _asked(value, asked(value, node), node, context)
        case ast.Await(value=value):
            yield from _asked(value, "__await__", node, context)
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]):
            yield from _asked(value, "__contains__", node, context)
        case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
            yield from _asked(value, "__iter__", node, context)
        case ast.BinOp() | ast.Compare():
            for operand in operands(node):
                found = _asked(operand.value, operand.method, node, context)
                yield from (replace(contract, other=_other(operand.other, context)) for contract in found)


@finder(ast.Call, ast.With, ast.AsyncWith, ast.Attribute)
def find_uses(node: ast.AST, context: Context) -> Iterator[SpecialMethodContract]:
    """``x()``, ``len(x)``, ``with x:``, ``dataclasses.replace(x)``, and ``x._replace`` of a named tuple."""
    match node:
        case ast.With(items=items) | ast.AsyncWith(items=items):
            name = "__enter__" if isinstance(node, ast.With) else "__aenter__"
            for item in items:
                yield from _asked(item.context_expr, name, item.context_expr, context)
        case ast.Attribute(value=value, attr=attr) if attr in _OF_NAMED_TUPLES or attr in _OF_MODELS:
            yield from _asked(value, attr, node, context)
        case ast.Call(func=func, args=[value, *_]) if _is_of_data_classes(func, context):
            yield from _asked(value, DATA_CLASS, node, context)
        case ast.Call(func=func, args=[value]) if isinstance(func, ast.Name) and (name := asked(value, node)):
            yield from _asked(value, name, node, context)
        case ast.Call(func=func):
            yield from _asked(func, "__call__", node, context)


def _is_of_data_classes(func: ast.expr, context: Context) -> bool:
    written = dotted(func) or ""
    last = written.rpartition(".")[2]
    if f"dataclasses.{last}" not in _OF_DATA_CLASSES:
        return False
    return context.universe.external_name(context.file.module, written) in _OF_DATA_CLASSES


def _other(node: ast.expr, context: Context) -> str:
    """The class of what stands beside an operand, empty for a built-in one."""
    declared = context.scope.annotations.get(node.id) if isinstance(node, ast.Name) else None
    if literal_type(node) or declared in ("int", "float", "bool", "str"):
        return ""
    found = context.infer(node)
    return found.symbol.name if found is not None and found.instance else "?"


def _asked(value: ast.expr, name: str, node: ast.AST, context: Context) -> Iterator[SpecialMethodContract]:
    """The contract that an expression is an object of an upstream class with a special method."""
    found = context.infer(value) if name and isinstance(value, ast.Name | ast.Attribute | ast.Call) else None
    if found is None or found.symbol.kind != "class" or not context.is_upstream(found.symbol.module):
        return
    of_class = name == DATA_CLASS or name in _OF_MODELS
    if catches_attribute_error(context.parents, node, ("TypeError", "AttributeError")):
        return
    if (found.instance or of_class) and _has(context.universe, found.symbol, name):
        yield SpecialMethodContract(symbol=found.symbol.name, asked=name, place=context.place(node))


@judge(SpecialMethodContract)
def judge_special_method(contract: SpecialMethodContract, pair: Comparison) -> Iterator[Finding]:
    """The class has no such method any more, nor anything that stands in for it."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or after.kind != "class":
        return
    if not _has(pair.old, before, contract.asked) or not _lacks(pair.new, after, contract.asked):
        return
    told_by_other = _told_by_other(contract, after, pair)
    if told_by_other is True:
        return
    what = "is no data class" if contract.asked == DATA_CLASS else lacking(contract.asked)
    gone = Finding(
        contract, ChangeKind.ATTRIBUTE_REMOVED, f"{after.name}.{contract.asked}", Ground.MEMBER_GONE,
        f"an object of {after.name} {what} any more", subject=contract.asked,
    )  # fmt: skip
    unless = ", unless what stands beside it knows such objects"
    yield gone if told_by_other is False else gone.doubted(Ground.DOUBTED, unless)


def _told_by_other(contract: SpecialMethodContract, class_: Symbol, pair: Comparison) -> bool | None:
    """Whether the other operand does what the object does not; None where that is not known."""
    name = reflected(contract.asked)
    other = pair.now(contract.other) if name and contract.other not in ("", "?") else None
    if other is None or other.kind != "class":
        return None if name and contract.other else False
    # Python does not ask a second object of the same class.
    if other.name == class_.name and contract.asked not in ORDERING:
        return False
    return not _lacks(pair.new, other, name)


def _has(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether objects of a class are seen to have a special method."""
    if name == DATA_CLASS:
        return any(_is_data_class(one) for one in universe.lineage(class_).classes)
    if name in ORDERING and any(_is_ordered(one) for one in universe.lineage(class_).classes):
        return True
    if name in _OF_MODELS:
        return "BaseModel" in _outside(universe, class_)
    of_tuples = name in _OF_NAMED_TUPLES or (hasattr(tuple, name) and not hasattr(object, name))
    if of_tuples and tuple_fields(universe, class_) is not None:
        return True
    return universe.member(class_, name) is not None


def _outside(universe: Universe, class_: Symbol) -> set[str]:
    """The last names of the bases that a class has from outside the trees."""
    return {base.rpartition(".")[2] for base in universe.lineage(class_).external}


def _lacks(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether objects of a class are sure to have neither a special method nor what serves instead."""
    lineage = universe.lineage(class_)
    if not keep_members(universe, class_):
        return False
    if name == DATA_CLASS:
        known = _outside(universe, class_) <= _NO_DATA_CLASSES
        return known and not any(map(_is_data_class, lineage.classes))
    if name in ORDERING:
        return not universe.is_open(class_) and not _has(universe, class_, name)
    return all(surely_lacks(universe, class_, each) for each in (name, *_INSTEAD.get(name, ())))


def _is_ordered(class_: Symbol) -> bool:
    """Whether a decorator gives a class the methods by which its objects are ordered."""
    decorators = class_.class_.decorators if class_.class_ is not None else ()
    return any("total_ordering" in text or re.search(r"\border=(?!False)", text) for text in decorators)


def _is_data_class(class_: Symbol) -> bool:
    decorators = class_.class_.decorators if class_.class_ is not None else ()
    return any("dataclass" in decorator for decorator in decorators)
