"""Values that classes of the backend set in their bodies, of which upstream newly asks what values of their
type do not have."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import asked, lacking
from syncbot.contracts.calls.literal_types import literal_type
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.set_attributes import set_in_class
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.upstream_members import inherited_member, upstream_member
from syncbot.contracts.registry import finder, judge

_TELLING = ("isinstance", "issubclass", "type", "hasattr", "callable")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnValueContract(Contract):
    """The backend's class ``receiver`` sets ``name`` in its body to a value of the built-in type ``type``,
    which counts as false where it is ``empty``."""

    told_beside: ClassVar[bool] = True
    receiver: str
    name: str
    type: str
    empty: bool
    upstream: tuple[str, ...]


@finder(ast.Assign, ast.AnnAssign)
def find_values(node: ast.Assign | ast.AnnAssign, context: Context) -> Iterator[OwnValueContract]:
    """``name = […]`` in the body of a class, of a name that upstream's class has too."""
    type_ = literal_type(node.value) if node.value is not None else ""
    for own, name in set_in_class(node, context) if type_ else ():
        theirs = upstream_member(own, name, context.universe, context.upstream)
        if theirs is not None:
            yield OwnValueContract(
                symbol=theirs.symbol, receiver=own.name, name=name, type=type_, empty=_is_false(node.value),
                upstream=context.upstream, place=context.place(node),
            )  # fmt: skip


def _is_false(value: ast.expr | None) -> bool:
    match value:
        case ast.Constant(value=written):
            return not written
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
    return False


@judge(OwnValueContract)
def judge_value(contract: OwnValueContract, pair: Comparison) -> Iterator[Finding]:
    """A method that is inherited asks of the value what its type lacks, and none did before."""
    known = inherited_member(contract.receiver, contract.name, contract.upstream, pair)
    if known is None or known.after is None:
        return
    asks = next(_refused(contract, known.new_class, pair.new, pair.changed), None)
    if asks is None or next(_refused(contract, known.old_class, pair.old), None) is not None:
        return
    where, wanted = asks
    what = f"{'an' if contract.type == 'int' else 'a'} {contract.type}"
    lacks = lacking(wanted) if wanted.startswith("__") else f"has no attribute {wanted}"
    yield Finding(
        contract, ChangeKind.ATTRIBUTE_TYPE_CHANGED, known.after.symbol, Ground.TYPE_LACKS_METHOD,
        f"{where}() now does something else with {contract.name}; it is {what} here, and {what} {lacks}",
        subject=contract.name,
    )  # fmt: skip


def _refused(
    contract: OwnValueContract, class_: Symbol, universe: Universe, among: Sequence[str] | None = None
) -> Iterator[tuple[str, str]]:
    """The methods that a class inherits and that ask of the value what its type lacks, with that."""
    kind = getattr(builtins, contract.type)
    for owner in universe.lineage(class_).classes:
        body = universe.body(owner) if universe.belongs(owner.module, contract.upstream) else None
        if body is None or (among is not None and owner.module not in among):
            continue
        tree = universe.tree_of(owner.module)
        if tree is None or not tree.mentioning([owner.module], contract.name):
            continue
        for function in body.functions:
            member = universe.member(class_, function.name)
            if member is None or member.owner.name != owner.name:
                continue
            node = function_node(universe, owner.module, function, owner.qualname)
            wanted = _lacking(node, contract.name, kind, contract.empty) if node is not None else ""
            if wanted:
                yield f"{owner.name}.{function.name}", wanted


def _lacking(node: FunctionNode, name: str, kind: type, empty: bool) -> str:
    """What a method asks of an attribute of its object that values of a type do not have; nothing also where
    it looks at the type, or whether the value, which is ``empty``, is true."""
    receiver = node.args.args[0].arg if node.args.args else ""
    meant = {f"{receiver}.{name}"}
    meant |= {n for n, values in _given(node).items() if len(values) == 1 and dotted(values[0]) in meant}
    found = ""
    for parent in every_node(node):
        for child in children(parent):
            if not isinstance(child, ast.expr) or dotted(child) not in meant:
                continue
            if isinstance(parent, ast.Call) and dotted(parent.func) in _TELLING:
                return ""
            if empty and _asks_whether_true(child, parent):
                return ""
            wanted = _asked(child, parent)
            found = found or ("" if not wanted or hasattr(kind, wanted) else wanted)
    return found


def _asks_whether_true(node: ast.expr, parent: ast.AST) -> bool:
    match parent:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return test is node
    return isinstance(parent, ast.BoolOp) or (
        isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    )


def _asked(node: ast.expr, parent: ast.AST) -> str:
    """The attribute that a value has to have for what is done with it."""
    match parent:
        case ast.Compare(ops=[*_, ast.In() | ast.NotIn()], comparators=[*_, searched]) if searched is node:
            return "__contains__"
    return asked(node, parent)


def _given(node: FunctionNode) -> dict[str, list[ast.expr]]:
    """The variables of a function with the values that they are given."""
    given: dict[str, list[ast.expr]] = {}
    for part in every_node(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            given.setdefault(part.id, [])
        if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
            given.setdefault(part.targets[0].id, []).append(part.value)
    return given
