"""Attributes of upstream classes that the backend's subclasses set to values of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from syncbot.api.local_classes import as_written
from syncbot.api.methods import is_read_only
from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.upstream_members import inherited_member, upstream_member
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAttributeContract(Contract):
    """The backend's class ``receiver`` sets an attribute that an upstream ancestor sets too: to the same
    (``copied``), or only on ``self`` (``of_object``)."""

    receiver: str
    name: str
    copied: bool
    of_object: bool
    upstream: tuple[str, ...]


@finder(ast.Attribute)
def find_set_on_self(node: ast.Attribute, context: Context) -> Iterator[SetAttributeContract]:
    """``self.name = …``."""
    if not isinstance(node.ctx, ast.Store) or isinstance(context.parent, ast.AugAssign):
        return
    if isinstance(node.value, ast.Name) and node.value.id == context.scope.receiver:
        class_ = context.scope.class_
        if class_ is not None:
            value = getattr(context.parent, "value", None)
            yield from _contract(class_, node.attr, value, True, node, context)


@finder(ast.Assign, ast.AnnAssign)
def find_set_in_class(node: ast.Assign | ast.AnnAssign, context: Context) -> Iterator[SetAttributeContract]:
    """``name = …`` in the body of a class."""
    for class_, name in set_in_class(node, context):
        yield from _contract(class_, name, node.value, False, node, context)


def set_in_class(node: ast.Assign | ast.AnnAssign, context: Context) -> Iterator[tuple[Symbol, str]]:
    """The names that a statement in the body of a class gives a value, each with the class."""
    class_ = context.own_class() if node.value is not None else None
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if class_ is not None and isinstance(target, ast.Name):
            yield class_, target.id


def _contract(
    own: Symbol, name: str, value: ast.expr | None, on_self: bool, node: ast.AST, context: Context
) -> Iterator[SetAttributeContract]:
    if name.startswith("__") and name.endswith("__"):
        return
    base = upstream_member(own, name, context.universe, context.upstream)
    if base is not None and base.attributes:
        text = ast.unparse(value)[:200] if value is not None else None
        theirs = {a.value and as_written(a.value) for a in base.attributes}
        yield SetAttributeContract(
            symbol=base.symbol,
            receiver=own.name,
            name=name,
            copied=not isinstance(value, ast.Constant) and text in theirs,
            of_object=on_self and not _has_own(own, name, context),
            upstream=context.upstream,
            place=context.place(node),
        )


def _has_own(own: Symbol, name: str, context: Context) -> bool:
    """Whether a class of the backend defines a name in its body, and so stands before upstream's."""
    return any(
        not isinstance(node, Attribute) or not node.origin
        for owner in context.universe.lineage(own).classes
        if not context.is_upstream(owner.module)
        for node in context.universe.defined(owner, name)
    )


@judge(SetAttributeContract)
def judge_set_attribute(contract: SetAttributeContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream's class lacks the attribute, so that nobody may ask for it; or it cannot be set now."""
    known = inherited_member(contract.receiver, contract.name, contract.upstream, pair)
    if known is None or not known.before.attributes:
        return
    old_class, new_class, before, after = known.old_class, known.new_class, known.before, known.after
    if after is not None:
        if contract.of_object and is_read_only(after) and not is_read_only(before):
            reason = f"{after.symbol} is now a property without a setter: setting it on self fails"
            yield Finding(
                contract, ChangeKind.ATTRIBUTE_READ_ONLY, after.symbol, Ground.READ_ONLY_ON_SELF, reason,
                subject=contract.name,
            )  # fmt: skip
        return
    if pair.new.is_open(new_class):
        return
    classes = (
        (u, c) for u, own in ((pair.old, old_class), (pair.new, new_class)) for c in u.lineage(own).classes
    )
    modules = sorted({c.module for u, c in classes if u.belongs(c.module, contract.upstream)})
    was_read = _read(pair.old_tree, modules, contract.name)
    if _read(pair.new_tree, modules, contract.name) or not (was_read or contract.copied):
        return
    reason = f"{before.symbol} no longer exists: "
    if was_read:
        reason += "upstream asked for what is set here, and may not ask any more"
        ground = Ground.WRITTEN_ONLY
    else:
        reason += "what is set here as upstream did is out of date"
        ground = Ground.OUT_OF_DATE
    kind = ChangeKind.ATTRIBUTE_UNUSED
    yield Finding(contract, kind, before.symbol, ground, reason, subject=contract.name)


def _read(tree: ModuleTree, modules: Sequence[str], name: str) -> bool:
    """Whether any of some modules reads an attribute of that name, as far as its text tells."""
    reads = re.compile(rf"\.{name}\b(?!\s*(?::[^=\n]+)?=(?!=))".encode())
    found = tree.mentioning(modules, f".{name}")
    return any(reads.search(tree.source(module) or b"") for module in found)
