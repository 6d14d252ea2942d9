"""Results of upstream's functions, or parts of them, that were objects and are of a built-in type now."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.annotated_classes import named_class
from syncbot.api.expressions import expression
from syncbot.contracts.annotation_differences import builtin_name
from syncbot.contracts.calls.targets import CallContract, Target, reached_in
from syncbot.contracts.calls.uses_of_names import taker, use_of, uses_in
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.declared_types import Declared, item
from syncbot.contracts.kinds.calls import find_calls
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_PLAIN = {t.__name__: t for t in (list, tuple, dict, set, frozenset, str, bytes, int, float, bool)}
_ANYTHING = {"Any", "object", "None", "Self"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainResultContract(Contract):
    """Of the result of ``call``, or with a ``place`` of that part of it, attributes are read."""

    call: CallContract
    asked: tuple[tuple[int | None, str], ...]


@finder(ast.Call)
def find_asked_results(node: ast.Call, context: Context) -> Iterator[PlainResultContract]:
    """``f().x``, ``a = f()`` with ``a.x`` later on, and ``a, b = f()``."""
    given, parent = taker(node, context.parents)
    if not isinstance(parent, ast.Attribute | ast.Assign):
        return
    for call in find_calls(node, context):
        asked = tuple(dict.fromkeys(_asked(given, parent, context)))
        if asked:
            yield PlainResultContract(symbol=call.symbol, call=call, asked=asked, place=call.place)


def _asked(node: ast.AST, parent: ast.AST | None, context: Context) -> Iterator[tuple[int | None, str]]:
    """Which attributes are read of a result: each with the part of the result that it is read of."""
    direct = (use_of(node, parent) or "").partition(" ")
    if direct[0] == "attribute":
        yield None, direct[2]
    function = context.function
    if function is None or not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
        return
    match parent.targets[0]:
        case ast.Name(id=name):
            names: list[tuple[int | None, str]] = [(None, name)]
        case ast.Tuple(elts=parts) if not any(isinstance(part, ast.Starred) for part in parts):
            names = [(place, part.id) for place, part in enumerate(parts) if isinstance(part, ast.Name)]
        case _:
            return
    for place, name in names:
        if sum(not _is_nothing(value) for value in context.scope.values.get(name, ())) == 1:
            for use in uses_in(function).get(name, ()):
                if use.startswith("attribute "):
                    yield place, use.partition(" ")[2]


def _is_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


@judge(PlainResultContract)
def judge_plain_result(contract: PlainResultContract, pair: Comparison) -> Iterator[Finding]:
    """What was an object of some class is a built-in one now, without the attribute."""
    before, after = reached_in(contract.call, pair)
    if before is None or after is None:
        return
    for place, name in contract.asked:
        was, now = _type(before, place), _type(after, place)
        plain = _PLAIN.get(_name(now))
        if plain is None or was is None or hasattr(plain, name) or not _is_object(was):
            continue
        known = pair.old.local(before.module, was)
        # A name for some types may be a built-in one as well; of whole objects of upstream's, results tell.
        if known is not None and known.kind != "unknown" and (known.kind != "class" or place is None):
            continue
        what = f"{after.symbol}() " if place is None else f"part {place + 1} of what {after.symbol}() gives "
        yield Finding(
            contract, ChangeKind.RETURN_KIND_CHANGED, after.symbol, Ground.RESULT_OF_OTHER_KIND,
            f"{what}was declared {was} and is {now} now, which has no {name}",
        )  # fmt: skip
        return


def _type(target: Target, place: int | None) -> str | None:
    """What a function is declared to return, or a part of that."""
    written = target.functions[-1].annotation if target.functions else None
    node = expression(written.strip("'\"")) if written else None
    if node is None:
        return None
    whole = Declared(target.module, node)
    told = whole if place is None else item(whole, ast.Constant(place))
    return ast.unparse(told.type) if told is not None else None


def _name(type_: str | None) -> str:
    """The last part of the one class that a type names, as built-in ones are called now."""
    return builtin_name((named_class(type_ or "") or "").rpartition(".")[2])


def _is_object(type_: str) -> bool:
    """Whether a declared type is one class, and none of the built-in ones."""
    last = _name(type_)
    return named_class(type_) == type_ and len(last) > 1 and last not in _ANYTHING and last not in _PLAIN
