"""Methods of the backend that override upstream ones: upstream calls them the way its own signature says."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.methods import definition, is_static, method_signature
from syncbot.api.model import Function, Parameter
from syncbot.api.signatures import Signature
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.made_functions import made_function
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.asked_of_base import asks_base
from syncbot.contracts.overrides.became_values import read_as_value
from syncbot.contracts.overrides.forwarding_overrides import as_it_takes, handed_to
from syncbot.contracts.overrides.orphaned_overrides import orphaned
from syncbot.contracts.overrides.own_definitions import functions_of
from syncbot.contracts.overrides.replacement_fit import compare_replacement
from syncbot.contracts.overrides.upstream_members import inherited_member, upstream_member
from syncbot.contracts.registry import audit, finder, judge

# Decorators that say what a method is, and do nothing with it.
_PLAIN = {"property", "cached_property", "classmethod", "staticmethod", "override"}


def weighed(finding: Finding, ours: Member, pair: Comparison) -> Finding:
    """The finding on an override that upstream never calls again, no more than a risk where the override only
    gives a constant (under a new name upstream still asks), or where its class is written for both."""
    if finding.ground is not Ground.DEAD_OVERRIDE:
        return finding
    if asks_base(ours, pair):
        return finding.doubted(Ground.DOUBTED, "; the class here tests whether its base has it")
    if finding.kind is ChangeKind.METHOD_RENAMED:
        return finding
    last = definition(ours.functions)
    node = function_node(pair.new, ours.owner.module, last, ours.owner.qualname)
    plain = all(d.rpartition(".")[2] in _PLAIN for d in last.decorators)
    if node is None or not plain or not _gives_constant(node):
        return finding
    return finding.doubted(Ground.DOUBTED, "; this override does nothing but tell a constant")


def _gives_constant(node: FunctionNode) -> bool:
    """Whether a function does nothing but return a constant or something empty, or nothing at all."""
    match _without_text(node.body):
        case [] | [ast.Pass()] | [ast.Return(value=None)]:
            return True
        case [ast.Return(value=ast.expr() as value)]:
            return _is_constant(value)
    return False


def _without_text(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements without those that are only a constant, as a docstring is."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


def _is_constant(value: ast.expr) -> bool:
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.Constant() | ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
    return False


_SELF = Parameter("self", "any", None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideContract(Contract):
    """The method ``name`` of the backend's class ``receiver``, which overrides ``symbol``; the function that
    an assignment makes for it is ``made``. ``mixin`` is the class that defines it where ``receiver`` only
    has it from there."""

    receiver: str
    name: str
    upstream: tuple[str, ...]
    made: Function | None = None
    mixin: str = ""


@finder(ast.Assign)
def find_assigned(node: ast.Assign, context: Context) -> Iterator[OverrideContract]:
    """The same for functions that a class body only gives a name: ``forward = other_function``."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute()):
            own = context.own_class()
            mine = context.universe.member(own, name) if own is not None else None
            if own is not None and mine is not None and functions_of(mine, context.universe):
                yield from _override(own, name, node, context)


@finder(ast.Assign)
def find_made(node: ast.Assign, context: Context) -> Iterator[OverrideContract]:
    """The same for what is made there, ``forward = staticmethod(function)``, and for what is put into a class
    of the backend later on: ``Own.forward = function``."""
    match node.targets, node.value:
        case [ast.Name(id=name)], ast.Lambda() | ast.Call():
            own = context.own_class()
            body = context.universe.body(own) if own is not None else None
            inside = {f.name for f in body.functions} if body is not None else set()
            # A function of that name outside the class is another one.
            if any(isinstance(n, ast.Name) and n.id in inside for n in every_node(node.value)):
                return
        case [ast.Attribute(value=owner, attr=name)], _:
            base = context.infer(owner)
            own = base.symbol if base is not None and not base.instance else None
            if own is None or own.kind != "class" or context.is_upstream(own.module):
                return
            if context.function is not None and _is_put_back(node.targets[0], context.function):
                return
        case _:
            return
    for found in _override(own, name, node, context) if own is not None else ():
        made = made_function(node.value, context)
        if made is not None:
            yield replace(found, made=made)


def _is_put_back(target: ast.expr, function: FunctionNode) -> bool:
    """Whether a function puts something else there as well: that stands there for a while."""
    written = ast.unparse(target)
    targets = (t for n in every_node(function) if isinstance(n, ast.Assign) for t in n.targets)
    return sum(isinstance(t, ast.Attribute) and ast.unparse(t) == written for t in targets) > 1


@finder(ast.FunctionDef, ast.AsyncFunctionDef)
def find_overrides(node: FunctionNode, context: Context) -> Iterator[OverrideContract]:
    """Methods that an upstream ancestor defines too."""
    own = context.own_class()
    if own is not None:
        yield from _override(own, node.name, node, context)


def _override(own: Symbol, name: str, node: ast.AST, context: Context) -> Iterator[OverrideContract]:
    """Yield what a method of ``own`` overrides, if that is upstream's."""
    if first_upstream(own, context.universe, context.upstream) is None:
        return
    base = upstream_member(own, name, context.universe, context.upstream)
    if base is not None:
        yield OverrideContract(
            symbol=base.symbol,
            receiver=own.name,
            name=name,
            upstream=context.upstream,
            place=context.place(node),
        )


@judge(OverrideContract)
def judge_override(contract: OverrideContract, pair: Comparison) -> Iterator[Finding]:
    """The overridden method is gone, or is called in another way."""
    known = inherited_member(contract.receiver, contract.name, contract.upstream, pair)
    if known is None or not known.before.functions:
        return
    old_class, new_class, before, after = known.old_class, known.new_class, known.before, known.after
    lineage = pair.new.lineage(new_class)
    if not any(pair.new.belongs(c.module, contract.upstream) for c in lineage.classes[1:]):
        return
    ours = pair.new.member(new_class, contract.name)
    functions = functions_of(ours, pair.new) if ours is not None else ()
    functions = (contract.made,) if contract.made is not None else functions
    if ours is None or not functions:
        return
    if after is None:
        found = orphaned(contract, before, pair, definition(functions), new_class)
        base = pair.unseen_base(old_class, new_class, contract.name)
        why = f", unless it comes from {base}, a base that cannot be followed"
        for finding in found:
            weak = finding.doubted(Ground.UNSEEN_BASE, why) if base is not None else finding
            # What stands under a new name is still asked for.
            defined_here = bool(ours.functions) and pair.same_body(before) is None
            yield weighed(weak, ours, pair) if defined_here else weak
    elif after.functions:
        was, now = (
            _that_runs(before, old_class, contract, pair.old),
            _that_runs(after, new_class, contract, pair.new),
        )
        yield from compare_replacement(
            contract,
            as_it_takes(definition(functions), ours.owner, pair),
            _called(was, before.name),
            _called(now, after.name),
            now.symbol,
            now.owner,
            pair,
            new_class,
        )
    elif ours.functions:
        yield from read_as_value(contract, definition(functions), before, after)


def _that_runs(base: Member, own: Symbol, contract: OverrideContract, universe: Universe) -> Member:
    """The upstream method that takes what an overridden one is given: itself, or the one it hands all to."""
    other = handed_to(base, universe)
    found = upstream_member(own, other, universe, contract.upstream) if other is not None else None
    return found if found is not None and found.functions else base


def _called(member: Member, name: str) -> Function:
    """The definition that counts, under the name by which it is reached: what hands everything to it takes an
    object of the class in any case."""
    function = definition(member.functions)
    if function.name == name:
        return function
    taken = (_SELF, *function.parameters) if is_static(function) else function.parameters
    return replace(function, name=name, parameters=taken, decorators=())


@audit(OverrideContract)
def audit_override(contract: OverrideContract, universe: Universe) -> Iterator[str]:
    """No call can fit both: the override wants more than there is to pass, or less than has to be passed.
    Constructors are called by their class's name, each with its own arguments."""
    own = universe.resolve(contract.receiver)
    if own is None or contract.name in ("__init__", "__new__"):
        return
    base = upstream_member(own, contract.name, universe, contract.upstream)
    mine = universe.member(own, contract.name)
    if base is None or not base.functions or mine is None or not mine.functions:
        return
    theirs, ours = (method_signature(definition(member.functions)) for member in (base, mine))
    for name in _unmet(ours, theirs):
        yield f"{base.symbol}() has no {name}, which this override requires"
    for name in _unmet(theirs, ours):
        yield f"{base.symbol}() requires {name}, which this override does not take"


def _unmet(signature: Signature, other: Signature) -> Iterator[str]:
    """The parameters that one signature requires, and for which another one has neither place nor name."""
    if other.has("*") or other.has("**"):
        return
    yield from (p.name for p in signature.positional[len(other.positional) :] if _is_unmet(p, other))
    yield from (p.name for p in signature.parameters if p.kind == "key" and _is_unmet(p, other))


def _is_unmet(parameter: Parameter, other: Signature) -> bool:
    return parameter.required and parameter.name not in other.names
