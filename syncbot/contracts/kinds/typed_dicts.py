"""Dictionaries whose keys an upstream ``TypedDict`` declares: the backend reads and builds them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.tested_keys import is_prepared
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedDictContract(Contract):
    """The keys of ``symbol`` that are read or, with ``built``, given; ``tolerant``: one may be missing."""

    keys: tuple[str, ...]
    built: bool = False
    tolerant: bool = False


@finder(ast.Subscript)
def find_reads(node: ast.Subscript, context: Context) -> Iterator[TypedDictContract]:
    """``value["key"]``."""
    if isinstance(node.slice, ast.Constant) and isinstance(node.ctx, ast.Load):
        tolerant = is_prepared(node, ast.unparse(node.slice), context, "KeyError", "LookupError")
        yield from _read(node.value, node.slice.value, tolerant, node, context)


@finder(ast.Call)
def find_gets(node: ast.Call, context: Context) -> Iterator[TypedDictContract]:
    """``value.get("key")``, and calls of the class."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop") and node.args:
        key = node.args[0]
        if isinstance(key, ast.Constant):
            tolerant = node.func.attr == "get" or len(node.args) > 1
            yield from _read(node.func.value, key.value, tolerant, node, context)
    elif node.keywords and not node.args and all(k.arg for k in node.keywords):
        made = context.infer(node.func)
        if made is not None and not made.instance:
            keys = tuple(sorted(k.arg for k in node.keywords if k.arg))
            yield from _built(made.symbol, keys, node, context)


@finder(ast.AnnAssign)
def find_literals(node: ast.AnnAssign, context: Context) -> Iterator[TypedDictContract]:
    """``value: Class = {…}``."""
    name = dotted(node.annotation)
    if not isinstance(node.value, ast.Dict) or name is None:
        return
    keys = [k.value for k in node.value.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
    made = context.infer(node.annotation)
    if made is not None and not made.instance and len(keys) == len(node.value.keys):
        yield from _built(made.symbol, tuple(sorted(keys)), node, context)


def _read(
    receiver: ast.expr, key: object, tolerant: bool, node: ast.AST, context: Context
) -> Iterator[TypedDictContract]:
    base = context.infer(receiver) if isinstance(key, str) else None
    if base is None or not base.instance or not context.is_upstream(base.symbol.module):
        return
    if isinstance(key, str) and key in (declared(context.universe, base.symbol) or ()):
        yield TypedDictContract(
            symbol=base.symbol.name, keys=(key,), tolerant=tolerant, place=context.place(node)
        )


def _built(
    symbol: Symbol, keys: tuple[str, ...], node: ast.AST, context: Context
) -> Iterator[TypedDictContract]:
    if context.is_upstream(symbol.module) and declared(context.universe, symbol) is not None:
        yield TypedDictContract(symbol=symbol.name, keys=keys, built=True, place=context.place(node))


@judge(TypedDictContract)
def judge_keys(contract: TypedDictContract, pair: Comparison) -> Iterator[Finding]:
    """A key is gone, or one more is required; or the class makes no dictionaries any more."""
    old_class, new_class = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    before = declared(pair.old, old_class) if old_class is not None else None
    after = declared(pair.new, new_class) if new_class is not None else None
    if before is None or new_class is None:
        return
    name = new_class.name
    if after is None:
        if not contract.built and _has_no_keys(new_class, pair.new):
            reason = f"objects of {name} are no dictionaries any more: they have no keys"
            kind, ground = ChangeKind.KEY_REMOVED, Ground.TYPE_LACKS_METHOD
            yield Finding(contract, kind, name, ground, reason, subject=contract.keys[0])
        return
    for key in contract.keys:
        if key not in before or key in after:
            continue
        if contract.built:
            reason = f"{name} has no key {key!r} any more: nothing upstream should read what is given here"
            ground = Ground.KEY_NOT_READ
        else:
            reason = f"{name} has no key {key!r} any more"
            ground = Ground.TESTED_FOR if contract.tolerant else Ground.TYPE_LACKS_METHOD
        kind = ChangeKind.KEY_REMOVED
        yield Finding(contract, kind, name, ground, reason, subject=key)
    for key, required in after.items() if contract.built else ():
        if required and not before.get(key, False) and key not in contract.keys:
            reason = f"{name} requires the key {key!r} now, which is not given here"
            kind = ChangeKind.KEY_REQUIRED
            yield Finding(contract, kind, name, Ground.KEY_REQUIRED, reason, subject=key)


def _has_no_keys(class_: Symbol, universe: Universe) -> bool:
    """Whether all of a class is seen, and nothing in it answers for a key."""
    if class_.kind != "class" or universe.is_open(class_):
        return False
    return all(universe.member(class_, name) is None for name in ("__getitem__", "get"))


def declared(universe: Universe, symbol: Symbol) -> Mapping[str, bool] | None:
    """The keys of a ``TypedDict``, and whether each is required (PEP 589, 655); None for other classes."""
    if symbol.kind != "class":
        return None
    lineage = universe.lineage(symbol)
    if not any(base.rpartition(".")[2] == "TypedDict" for base in lineage.external):
        return None
    keys: dict[str, bool] = {}
    for owner in reversed(lineage.classes):
        node = universe.body(owner)
        if node is None:
            return None
        total = "total=False" not in node.keywords
        for attribute in node.attributes:
            annotation = attribute.annotation
            if annotation is None or attribute.origin:
                continue
            head = annotation.strip("'\"").partition("[")[0].rpartition(".")[2]
            keys[attribute.name] = {"Required": True, "NotRequired": False}.get(head, total)
    return keys
