"""Attributes of objects whose class cannot be told, by names that only upstream gives a meaning to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import FunctionNode, written
from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge
from syncbot.project_metadata.followed import imported_names

#: Shorter names, or names of one word, may come from anywhere.
MINIMUM_LENGTH = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseNameContract(Contract):
    """``….name`` on a receiver of unknown class; ``symbol`` is the name itself. Where the code here does not
    ``link`` the object to upstream, ``word`` is what it is called."""

    tolerant: bool = False
    link: bool = True
    word: str = ""


@finder(ast.Attribute)
def find_loose_names(node: ast.Attribute, context: Context) -> Iterator[LooseNameContract]:
    """Reads of telling names on receivers that are unknown, or whose known class does not define them."""
    name = node.attr
    if not is_telling(name) or not isinstance(node.ctx, ast.Load) or name in context.own_names:
        return
    base = context.infer(node.value)
    if base is not None and (not base.instance or context.universe.member(base.symbol, name, base.skip)):
        return
    if base is None and _foreign(node.value, context):
        return
    link = _is_linked(node.value, context)
    word = written(node.value).rpartition(".")[2]
    # Of a module that takes nothing from upstream, and is handed nothing, nobody knows what its objects are.
    if link or (word and not _imports(context).isdisjoint(context.upstream)):
        tolerant = tests_for(context.guards, name)
        place = context.place(node)
        yield LooseNameContract(symbol=name, tolerant=tolerant, link=link, word=word, place=place)


def is_telling(name: str) -> bool:
    """Whether an attribute of that name hardly comes from anywhere else."""
    return len(name) >= MINIMUM_LENGTH and "_" in name.strip("_") and not name.startswith("__")


def _is_linked(receiver: ast.expr, context: Context) -> bool:
    """Whether the code shows that an object comes from upstream: it is reached by way of something that does,
    or in a class or function that upstream calls."""
    part = receiver
    while isinstance(part, ast.Attribute | ast.Call | ast.Subscript):
        part = part.func if isinstance(part, ast.Call) else part.value
        known = context.infer(part)
        if known is not None and _is_of_upstream(known.symbol, context):
            return True
    around = context.class_around
    own = context.class_named(_class_path(context, around)) if around is not None else None
    if own is not None and _is_of_upstream(own, context):
        return True
    if any(isinstance(p, FunctionNode) and p in context.adopted for p in context.parents):
        return True
    names = (context.file.module, *context.qualname)
    return any(".".join(names[:length]) in context.placed for length in range(2, len(names) + 1))


def _class_path(context: Context, around: ast.ClassDef) -> tuple[str, ...]:
    names = context.qualname
    last = max((n for n, name in enumerate(names) if name == around.name), default=-1)
    return tuple(names[: last + 1])


def _is_of_upstream(symbol: Symbol, context: Context) -> bool:
    """Whether a symbol is upstream's, or a class that derives from one of its classes."""
    if context.is_upstream(symbol.module):
        return True
    return symbol.kind == "class" and first_upstream(symbol, context.universe, context.upstream) is not None


def _imports(context: Context) -> frozenset[str]:
    """The top-level names that the module imports."""
    return frozenset(imported_names(context.file.text))


def _foreign(receiver: ast.expr, context: Context) -> bool:
    """Whether the receiver begins with something imported from neither the backend nor upstream."""
    while isinstance(receiver, ast.Attribute | ast.Call | ast.Subscript):
        receiver = receiver.func if isinstance(receiver, ast.Call) else receiver.value
    if not isinstance(receiver, ast.Name):
        return False
    found = context.universe.local(context.file.module, receiver.id)
    return found is not None and context.universe.tree_of(found.module) is None


@judge(LooseNameContract)
def judge_loose_name(contract: LooseNameContract, pair: Comparison) -> Iterator[Finding]:
    """The name was defined upstream and is defined nowhere now, or in less than half as many places."""
    if not pair.vanished_name(contract.symbol):
        return
    if not contract.link:
        # Upstream calls an object the same, and asks it for the same.
        asked = pair.old_tree.mentioning(pair.old_tree.modules, f"{contract.word}.{contract.symbol}")
        if not asked:
            return
    homes = pair.old_names.homes((*pair.changed, *pair.removed), contract.symbol)
    mentioning = pair.new_tree.mentioning(pair.new_tree.modules, contract.symbol)
    left = pair.new_names.homes(mentioning, contract.symbol)
    fewer = "few modules upstream still define:" if left else "upstream no longer defines"
    reason = f"{fewer} {contract.symbol} (before: {', '.join(homes[:2])})"
    if contract.tolerant:
        reason += ": the test for it here will fail silently"
    yield Finding(
        contract, ChangeKind.NAME_VANISHED, contract.symbol, Ground.UNKNOWN_RECEIVER, reason,
        subject=contract.symbol,
    )  # fmt: skip
