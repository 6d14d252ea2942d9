"""Attributes that are gone, and of which upstream's own readers show what is read in their place. The guilty
commit rewrote them: where it turned ``x.size`` into ``x.spec.size``, always in one way and nowhere in
another, ours becomes the same. Its readers have to mean the same class as ours: an object of the same name,
or the object itself in a class that ours derives from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from syncbot.api.every_node import children
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.kinds.attributes import AttributeContract
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.attribute_replaced import AttributeReplaced
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.changed_functions import changed_functions
from syncbot.planning.model import Answer, Author, Reply
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine

# What stood there, and what stands there now.
Pair = tuple[ast.expr, ast.expr]


@place_answerer(Phase.UPSTREAM_USERS, (ChangeKind.ATTRIBUTE_REMOVED,), "attribute")
def read_elsewhere(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """Every read of the attribute, as upstream's own readers of that class read it now."""
    name = impact.details.subject
    contract = next((c for c in context.contracts_at(place, AttributeContract) if c.name == name), None)
    node = context.attribute_at(place, name)
    if contract is None or not contract.instance or node is None or isinstance(node.ctx, ast.Del):
        return None
    if not _means_one_thing(place.file, node, contract, context):
        return Author(f"{ast.unparse(node)} is read of other things in this file too")
    after = _learned(impact, contract, node, context)
    if after is None:
        return Author(f"upstream's own readers do not show what to read instead of {name}")
    if isinstance(node.ctx, ast.Store) and not after.isidentifier():
        return Author(f"{name} is set here, which {after} may not be")
    read = (ast.unparse(node.value),)
    return Answer((AttributeReplaced(base=contract.receiver, before=name, after=after, receivers=read),))


def _means_one_thing(
    path: str, node: ast.Attribute, contract: AttributeContract, context: PlanningContext
) -> bool:
    """Whether all that reads like the node in a file is the same attribute of the same class."""
    every = [n for n in context.nodes(path) if isinstance(n, ast.Attribute) and n.attr == node.attr]
    like = [n for n in every if ast.unparse(n) == ast.unparse(node)]
    places = [Location(path, n.lineno, n.col_offset + 1) for n in like]
    meant = [context.contracts_at(place, AttributeContract) for place in places]
    key = (contract.symbol, contract.name)
    return all(any((c.symbol, c.name) == key for c in contracts) for contracts in meant)


def _learned(
    impact: Impact, contract: AttributeContract, ours: ast.Attribute, context: PlanningContext
) -> str | None:
    """Return the text that upstream's readers now read after the dot, if all agree and our class has it."""
    found: set[str] = set()
    for owner, _, (was, now) in pairs_of(impact, ours.attr, context):
        assert isinstance(was, ast.Attribute)
        if not same_receiver(was.value, owner, ours.value, contract, context):
            continue
        receiver, text = ast.unparse(was.value), ast.unparse(now)
        if not text.startswith(f"{receiver}.") or not _is_chain(now, was.value):
            return None
        found.add(text.removeprefix(f"{receiver}."))
    after = found.pop() if len(found) == 1 else None
    home = context.pair.now(contract.receiver)
    first = after.partition(".")[0].partition("(")[0] if after is not None else ""
    known = home is not None and context.pair.new.member(home, first) is not None
    return after if known else None


def same_receiver(
    theirs: ast.expr, owner: str, ours: ast.expr, contract: AttributeContract, context: PlanningContext
) -> bool:
    """Whether upstream reads it of the same class: of the object itself, in a class that ours is or derives
    from, or of something by the same name."""
    if isinstance(theirs, ast.Name) and theirs.id in ("self", "cls"):
        receiver = context.pair.old.resolve(contract.receiver)
        return receiver is not None and owner in {c.name for c in context.pair.old.lineage(receiver).classes}
    return _last(theirs) == _last(ours) != ""


def _last(node: ast.expr) -> str:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.lstrip("_")


def _is_chain(node: ast.expr, receiver: ast.expr) -> bool:
    """Whether an expression is attributes, and calls without arguments, of a receiver."""
    while ast.dump(node) != ast.dump(receiver):
        if isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call) and not node.args and not node.keywords:
            node = node.func
        else:
            return False
    return True


def pairs_of(impact: Impact, name: str, context: PlanningContext) -> Iterator[tuple[str, Routine, Pair]]:
    """The reads of an attribute in functions that both ends have, each with what stands there now, the class
    around it and the function as it is now."""
    for module, qualname, old, new in changed_functions(context, impact, f".{name}"):
        for pair in _replaced(old, new, name):
            yield f"{module}.{qualname}".rpartition(".")[0], new, pair


def _replaced(old: Routine, new: Routine, name: str) -> Iterator[Pair]:
    (before, was), (after, now) = _written(old), _written(new)
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "replace" and i2 - i1 == j2 - j1:
            for one, other in zip(before[i1:i2], after[j1:j2], strict=True):
                yield from _differing(one, other, name) or ()


# Each impact of a plan asks for the same functions.
@lru_cache(maxsize=1024)
def _written(routine: Routine) -> tuple[list[ast.AST], list[str]]:
    """The parts of a function, and their texts."""
    parts = list(_units(routine))
    return parts, [ast.unparse(part) for part in parts]


def _units(routine: Routine) -> Iterator[ast.AST]:
    """Yield the parts of a function in order: simple statements, and the heads of compound statements."""
    stack: list[ast.AST] = list(reversed(routine.body))
    while stack:
        node = stack.pop()
        blocks = [f for f in ("body", "orelse", "finalbody", "handlers", "cases") if hasattr(node, f)]
        if isinstance(node, ast.expr) or not blocks:
            yield node
        else:
            stack.extend(reversed(children(node)))


def _differing(one: ast.AST, other: ast.AST, name: str) -> list[Pair] | None:
    """The reads of the name in which two trees differ; None where they differ otherwise too."""
    if ast.dump(one) == ast.dump(other):
        return []
    if isinstance(one, ast.Attribute) and one.attr == name and isinstance(other, ast.expr):
        return [(one, other)]
    if isinstance(one, ast.keyword) and isinstance(other, ast.keyword) and one.arg != other.arg:
        # Passed by another name, it is another thing: nothing is read in its place.
        is_read = isinstance(one.value, ast.Attribute) and one.value.attr == name
        return [(one.value, ast.Name("", ast.Load()))] if is_read else None
    if type(one) is not type(other):
        return None
    found: list[Pair] = []
    for field in one._fields:
        mine, theirs = getattr(one, field, None), getattr(other, field, None)
        if isinstance(mine, ast.AST) and isinstance(theirs, ast.AST):
            mine, theirs = [mine], [theirs]
        if not (isinstance(mine, list) and isinstance(theirs, list)):
            if mine != theirs:
                return None
            continue
        if len(mine) != len(theirs):
            return None
        for a, b in zip(mine, theirs, strict=True):
            if not (isinstance(a, ast.AST) and isinstance(b, ast.AST)):
                if a != b:
                    return None
                continue
            inner = _differing(a, b, name)
            if inner is None:
                return None
            found += inner
    return found
