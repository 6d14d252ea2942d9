"""Methods that upstream calls the way it calls sibling methods: it chooses among them, or the configuration
says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.methods import method_signature
from syncbot.api.model import Function
from syncbot.api.signatures import Signature
from syncbot.api.symbols import Member, Symbol
from syncbot.api.syntax import parsed
from syncbot.api.universe import Universe
from syncbot.contracts.calls.binding import renamed_by_place
from syncbot.contracts.changes import ChangeKind, ParameterDetails, ParameterKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.patches import find_assignments
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.dispatchers import dispatched, followed
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class SiblingContract(Contract):
    """``receiver.name`` of the backend, or what it puts there, takes what the upstream method ``symbol``,
    ``follows``, takes."""

    receiver: str
    name: str
    follows: str
    upstream: tuple[str, ...]
    replacement: str = ""


@finder(ast.FunctionDef, ast.AsyncFunctionDef)
def find_siblings(node: FunctionNode, context: Context) -> Iterator[SiblingContract]:
    """Methods that a sibling rule names, for each of the methods it follows that the class inherits."""
    rules = [r for r in context.knowledge.siblings if r.method == node.name]
    own = context.own_class() if rules else None
    if own is None:
        return
    ancestors = {c.name for c in context.universe.lineage(own).classes[1:]}
    for rule in rules:
        for name in rule.follows if rule.base in ancestors else ():
            member = upstream_member(own, name, context.universe, context.upstream)
            if member is not None and member.functions:
                yield SiblingContract(
                    symbol=member.symbol,
                    receiver=own.name,
                    name=node.name,
                    follows=name,
                    upstream=context.upstream,
                    place=context.place(node),
                )


@finder(ast.ClassDef)
def find_dispatched(node: ast.ClassDef, context: Context) -> Iterator[SiblingContract]:
    """Methods among which one of upstream's chooses: they are called as those that it chooses otherwise."""
    own = context.own_class(node.name)
    if own is None or first_upstream(own, context.universe, context.upstream) is None:
        return
    methods = {s.name: s for s in node.body if isinstance(s, FunctionNode)}
    methods = {n: s for n, s in methods.items() if not any(r.method == n for r in context.knowledge.siblings)}
    for choices in dispatched(own, context.universe, context.is_upstream) if methods else ():
        for name in (n for n in methods if n in choices):
            above = context.universe.lineage(own).classes[1:]
            follows = followed(above, name, choices, context.universe)
            member = upstream_member(own, follows, context.universe, context.upstream) if follows else None
            if follows is not None and member is not None and member.functions:
                place = context.place(methods[name])
                scope = ".".join((*context.qualname, node.name))
                yield SiblingContract(
                    symbol=member.symbol,
                    receiver=own.name,
                    name=name,
                    follows=follows,
                    upstream=context.upstream,
                    place=replace(place, scope=scope),
                )


@finder(ast.Assign)
def find_put_there(node: ast.Assign, context: Context) -> Iterator[SiblingContract]:
    """``Class.method = function``, of a method among which one of upstream's chooses."""
    for patch in find_assignments(node, context):
        owner = context.universe.resolve(patch.owner) if patch.replacement else None
        if owner is None or owner.kind != "class":
            continue
        classes = context.universe.lineage(owner).classes
        for choices in dispatched(owner, context.universe, context.is_upstream):
            name = patch.name if patch.name in choices else ""
            follows = followed(classes, name, choices, context.universe) if name else None
            member = context.universe.member(owner, follows) if follows else None
            if follows is not None and member is not None:
                yield SiblingContract(
                    symbol=member.symbol, receiver=owner.name, name=name, follows=follows,
                    upstream=context.upstream, replacement=patch.replacement, place=context.place(node),
                )  # fmt: skip


@judge(SiblingContract)
def judge_sibling(contract: SiblingContract, pair: Comparison) -> Iterator[Finding]:
    """The sibling takes other parameters now."""
    old_class, new_class = pair.old.resolve(contract.receiver), pair.new.resolve(contract.receiver)
    before = _followed(contract, old_class, pair.old)
    after = _followed(contract, new_class, pair.new)
    functions = own_functions(contract, pair.new)
    if before is not None and after is not None and functions:
        yield from _unmet(contract, before, after, method_signature(functions[-1]), pair)


def own_functions(contract: SiblingContract, universe: Universe) -> tuple[Function, ...]:
    """The backend's definitions of the method, none where it cannot be followed."""
    if contract.replacement:
        found = universe.resolve(contract.replacement)
        return found.functions if found is not None else ()
    class_ = universe.resolve(contract.receiver)
    mine = universe.member(class_, contract.name) if class_ is not None else None
    return mine.functions if mine is not None else ()


def _unmet(
    contract: SiblingContract, before: Member, after: Member, ours: Signature, pair: Comparison
) -> Iterator[Finding]:
    old, new = method_signature(before.functions[-1]), method_signature(after.functions[-1])
    renamed = renamed_by_place(old, new)
    for parameter in new.parameters:
        if parameter.kind in ("*", "**") or old.get(parameter.name) is not None:
            continue
        if parameter.name in ours.names or ours.has("**"):
            continue
        reason = f"{after.symbol}() gained {parameter.name}, which {contract.name} here does not take"
        passed = _passed(parameter.name, pair)
        if parameter.name in renamed and not passed:
            continue
        needed = parameter.required or passed
        ground = Ground.SIGNATURE_REQUIRES if needed else Ground.NOT_PASSED_YET
        details = ParameterDetails(
            parameter=parameter.name, method=contract.name, base=after.owner.name, default=parameter.default,
            kind=ParameterKind(parameter.kind),
        )  # fmt: skip
        yield Finding(
            contract, ChangeKind.SIBLING_PARAMETER_ADDED, after.symbol, ground, reason,
            subject=parameter.name, details=details,
        )  # fmt: skip
    for parameter in old.parameters:
        own = ours.get(parameter.name)
        if new.get(parameter.name) is None and own is not None and own.required:
            # Another one in its place fills it, unless callers say the new ones by name: where ours does not
            # take these, that is told of them.
            filled = len(new.positional) >= len(old.positional)
            if filled and not (ours.has("**") and _gained_by_name(old, new, pair)):
                continue
            reason = f"{after.symbol}() lost {parameter.name}, which {contract.name} here requires"
            yield Finding(
                contract, ChangeKind.SIBLING_PARAMETER_REMOVED, after.symbol, Ground.SIGNATURE_REQUIRES,
                reason, subject=parameter.name,
            )  # fmt: skip


def _gained_by_name(old: Signature, new: Signature, pair: Comparison) -> bool:
    """Whether a call passes a parameter by name that the method has gained."""
    gained = (p for p in new.parameters if p.kind not in ("*", "**") and old.get(p.name) is None)
    return any(_passed(parameter.name, pair) for parameter in gained)


def _followed(contract: SiblingContract, owner: Symbol | None, universe: Universe) -> Member | None:
    if owner is None:
        return None
    # What is put into a class of upstream's stands beside that one's own methods.
    if contract.replacement:
        member = universe.member(owner, contract.follows)
    else:
        member = upstream_member(owner, contract.follows, universe, contract.upstream)
    return member if member is not None and member.functions else None


def _passed(name: str, pair: Comparison) -> bool:
    """Whether a call in a changed module passes such a keyword, whatever it calls."""
    for module in pair.new_tree.mentioning(pair.changed, f"{name}="):
        tree = parsed(pair.new_tree.source(module))
        if tree is not None and any(
            isinstance(node, ast.keyword) and node.arg == name for node in every_node(tree)
        ):
            return True
    return False
