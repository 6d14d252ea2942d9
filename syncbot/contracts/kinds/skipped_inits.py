"""Constructors that do not call an upstream base's ``__init__`` and so miss what it newly sets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.extract import dotted, parse
from syncbot.api.model import Function
from syncbot.api.universe import Symbol, Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedInitContract(Contract):
    """``receiver.__init__`` does not run the ``__init__`` of its ancestor ``symbol``, but those of the
    classes ``reached``."""

    receiver: str
    reached: tuple[str, ...] = ()


@finder(ast.ClassDef)
def find_skipped_inits(node: ast.ClassDef, context: Context) -> Iterator[SkippedInitContract]:
    """Classes with an ``__init__`` of their own that leaves out an upstream one."""
    own = context.own_class(".".join((*context.qualname, node.name)))
    init = next((s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"), None)
    if own is None or init is None:
        return
    called = set()
    for call in ast.walk(init):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "__init__"
        ):
            receiver = call.func.value
            if isinstance(receiver, ast.Call) and dotted(receiver.func) == "super" and not receiver.args:
                return
            target = receiver.args[0] if isinstance(receiver, ast.Call) and receiver.args else receiver
            value = context.infer(target)
            if value is not None:
                called.add((value.symbol.name, isinstance(receiver, ast.Call)))
    reached = _reached(own, called, context.universe)
    for ancestor in context.universe.lineage(own).classes[1:]:
        if not context.is_upstream(ancestor.module) or ancestor.name in reached:
            continue
        if any(isinstance(n, Function) for n in context.universe.defined(ancestor, "__init__")):
            yield SkippedInitContract(
                symbol=ancestor.name,
                receiver=own.name,
                reached=tuple(sorted(reached)),
                place=context.place(init),
            )
            return


def _reached(own: Symbol, called: set[tuple[str, bool]], universe: Universe) -> set[str]:
    """The classes whose ``__init__`` runs: those called by name with all their ancestors, and after
    ``super(C, self)`` those behind ``C``."""
    reached: set[str] = set()
    for name, behind in called:
        symbol = universe.resolve(name)
        if symbol is not None and symbol.kind == "class":
            chain = [c.name for c in universe.lineage(own if behind else symbol).classes]
            reached.update(chain[chain.index(name) + 1 :] if behind and name in chain else chain)
    return reached


@judge(SkippedInitContract)
def judge_skipped_init(contract: SkippedInitContract, pair: Comparison) -> Iterator[Finding]:
    """The left-out ``__init__`` sets an attribute that it did not set before and that upstream reads."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    own = pair.new.resolve(contract.receiver)
    if before is None or after is None or own is None or before.class_ is None or after.class_ is None:
        return
    known = {a.name for a in before.class_.attributes}
    for attribute in after.class_.attributes:
        if attribute.origin != "__init__" or attribute.name in known:
            continue
        known.add(attribute.name)
        member = pair.new.member(own, attribute.name)
        if member is None or member.owner.name != after.name:
            continue
        if _set_elsewhere(contract, own, attribute.name, pair.new):
            continue
        where = next(_readers(after, own, attribute.name, pair), None)
        if where is None:
            continue
        reason = (
            f"{contract.symbol}.__init__, which this class does not call, now sets {attribute.name}, "
            f"and upstream reads it ({where})"
        )
        yield Finding(
            contract,
            "attribute-added",
            f"{after.name}.{attribute.name}",
            Verdict.BREAKS,
            reason,
            attribute.name,
            0.8,
            {"class": after.name, "name": attribute.name, "value": attribute.value or ""},
        )


def _set_elsewhere(contract: SkippedInitContract, own: Symbol, name: str, universe: Universe) -> bool:
    """Whether an ``__init__`` that does run sets the attribute."""
    return any(
        attribute.name == name and attribute.origin == "__init__"
        for ancestor in universe.lineage(own).classes
        if ancestor.name in contract.reached and ancestor.class_ is not None
        for attribute in ancestor.class_.attributes
    )


def _readers(owner: Symbol, own: Symbol, name: str, pair: Comparison) -> Iterator[str]:
    """The upstream functions and modules that may read an attribute of an object of ``own``: not the
    ``__init__`` that is left out, nor methods that the backend runs others for, nor those of other classes
    where they read it of ``self``."""
    lineage = {c.name for c in pair.new.lineage(own).classes}
    for module in pair.new_usage.readers(pair.changed, name):
        for scope, of_self in _scopes(parse(pair.new_tree.source(module) or b""), name, ""):
            if f"{module}.{scope}." == f"{owner.name}.__init__." or pair.shadows.hide(module, scope):
                continue
            if of_self and f"{module}.{scope.rpartition('.')[0]}" not in lineage:
                continue
            yield f"{module}.{scope}" if scope else module


def _scopes(node: ast.AST, name: str, scope: str) -> Iterator[tuple[str, bool]]:
    """The scopes below a node in which an attribute of that name is read, and whether it is one of ``self``
    in a method."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Attribute) and child.attr == name and isinstance(child.ctx, ast.Load):
            yield scope, dotted(child.value) == "self" and scope.count(".") == 1
        inner = scope
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{scope}.{child.name}" if scope else child.name
        yield from _scopes(child, name, inner)
