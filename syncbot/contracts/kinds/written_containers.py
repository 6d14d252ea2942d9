"""Containers of built-in types that the backend puts into attributes of upstream's objects, and that upstream
asks from now on for what such a container does not have."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.written_values import written_type
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.reached_constructors import initialised
from syncbot.contracts.registry import finder, judge

_TYPES = {"dict", "list", "set"}
_DISPLAYS = (ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Set, ast.SetComp)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenContainerContract(Contract):
    """``self.name`` of an object of ``receiver`` is set to a container of the built-in type ``given``."""

    receiver: str
    name: str
    given: str
    told_beside: ClassVar[bool] = True


@finder(ast.Assign, ast.AnnAssign)
def find_written(node: ast.Assign | ast.AnnAssign, context: Context) -> Iterator[WrittenContainerContract]:
    """``self.name = set()`` where upstream's methods find it: in a method of a class that derives from one of
    upstream's, or in a function that stands in the place of such a method."""
    given = _container(node.value)
    for target in (node.targets if isinstance(node, ast.Assign) else [node.target]) if given else ():
        if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
            continue
        owner = context.infer(target.value)
        if owner is None or not owner.instance or _is_made_anew_after(node, context.function):
            continue
        base = owner.symbol
        if not context.is_upstream(base.module):
            above = first_upstream(base, context.universe, context.upstream)
            if above is None or context.universe.graft(base) is not None:
                continue
            base = above
        member = context.universe.member(base, target.attr)
        if member is not None and member.attributes and not member.functions:
            yield WrittenContainerContract(
                symbol=member.symbol, receiver=owner.symbol.name, name=target.attr, given=given,
                place=context.place(node),
            )  # fmt: skip


def _container(value: ast.expr | None) -> str:
    """The built-in type of an expression that makes a container; empty for another one."""
    match value:
        case ast.Call(func=ast.Name(id=name)) if name in _TYPES:
            return name
    type_ = written_type(ast.unparse(value)) if isinstance(value, _DISPLAYS) else None
    return type_.__name__ if type_ is not None else ""


def _is_made_anew_after(node: ast.stmt, function: FunctionNode | None) -> bool:
    """Whether another constructor runs on the object after a statement of a function."""
    receivers = initialised(function) if function is not None else ()
    return any(receiver.lineno > node.lineno for receiver in receivers)


@judge(WrittenContainerContract)
def judge_written(contract: WrittenContainerContract, pair: Comparison) -> Iterator[Finding]:
    """A method of upstream's asks the container for what it does not have, and none did."""
    before, after = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    after = after if after is not None else pair.new.resolve(contract.receiver)
    if before is None or after is None or before.kind != "class" or after.kind != "class":
        return
    has = {*dir(getattr(builtins, contract.given))}
    now = _asked(after, contract.name, pair.new, pair.new_tree)
    lacks = {ask: scope for scope, ask in now if ask not in has and not pair.shadows.hide(*scope)}
    if not lacks:
        return
    was = {ask for _, ask in _asked(before, contract.name, pair.old, pair.old_tree)}
    if was - has or not was:
        return
    # What upstream's own objects were asked for, they had: the container served in their place.
    for ask, (module, scope) in sorted(lacks.items())[:1]:
        pair.new_tree.note((module,))
        theirs = (c for c in pair.new.lineage(after).classes if pair.new.tree_of(c.module) is pair.new_tree)
        owner = next((c for c in theirs if pair.new.defined(c, contract.name)), None)
        symbol = f"{owner.name}.{contract.name}" if owner is not None else contract.symbol
        reason = (
            f"upstream now asks {contract.name} for {ask} ({module}.{scope}), and the {contract.given} "
            f"that is set here has none"
        )
        kind, ground = ChangeKind.FIELD_TYPE_CHANGED, Ground.TYPE_LACKS_METHOD
        yield Finding(contract, kind, symbol, ground, reason, subject=contract.name)


_Scope = tuple[str, str]


def _asked(class_: Symbol, name: str, universe: Universe, tree: ModuleTree) -> set[tuple[_Scope, str]]:
    """What the methods of a class and of its bases in a tree ask ``self.name`` for, each with the module and
    scope that asks."""
    found: set[tuple[_Scope, str]] = set()
    for owner in universe.lineage(class_).classes:
        if universe.tree_of(owner.module) is tree:
            asked = _asked_in(tree.source(owner.module) or b"", owner.qualname, name)
            found |= {((owner.module, f"{owner.qualname}.{method}"), ask) for method, ask in asked}
    return found


@remembered(1024)
def _asked_in(source: bytes, class_: str, name: str) -> tuple[tuple[str, str], ...]:
    """The methods of one class of a text that ask ``self.name`` for an attribute, and do not set it or tell
    what it is."""
    if f"self.{name}.".encode() not in source:
        return ()
    tree = parsed(source)
    classes = (n for n in every_node(tree) if isinstance(n, ast.ClassDef)) if tree is not None else ()
    written = f"self.{name}"
    return tuple(
        (method.name, node.attr)
        for body in classes
        if body.name == class_.rpartition(".")[2]
        for method in body.body
        if isinstance(method, FunctionNode) and not _sets_or_tests(method, written)
        for node in every_node(method)
        if isinstance(node, ast.Attribute) and dotted(node.value) == written
    )


def _sets_or_tests(method: FunctionNode, written: str) -> bool:
    for node in every_node(method):
        match node:
            case ast.Attribute(ctx=ast.Store()) if dotted(node) == written:
                return True
            case ast.Call(func=ast.Name(id="isinstance" | "hasattr" | "type"), args=[asked, *_]):
                if dotted(asked) == written:
                    return True
    return False
