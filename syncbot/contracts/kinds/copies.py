"""Functions of the backend that were copied from the upstream function they replace."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import FunctionNode
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.dependency_keys import body_look
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.normalised_bodies import concerning, edits, resemblance, statements
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.contracts.registry import finder, judge

MINIMUM_LINES = 6
MINIMUM_RESEMBLANCE = 0.4
_LONGEST = 90  # characters of a line that is told


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyContract(Contract):
    """A body that shares ``resemblance`` (0 to 1) of its statements with ``name`` in ``owner``."""

    owner: str
    name: str
    resemblance: float
    copy: tuple[str, ...]


@finder(ast.FunctionDef, ast.AsyncFunctionDef)
def find_overriding_copies(node: FunctionNode, context: Context) -> Iterator[CopyContract]:
    """Overrides whose body resembles the overridden one."""
    own = context.own_class() if len(node.body) > 1 else None
    base = upstream_member(own, node.name, context.universe, context.upstream) if own is not None else None
    if base is not None and base.functions:
        yield from _copy(node, base.owner, base.functions[-1], context)


@finder(ast.Assign)
def find_patching_copies(node: ast.Assign, context: Context) -> Iterator[CopyContract]:
    """Functions that are patched onto an upstream name and resemble what they replace."""
    for target in node.targets:
        if not isinstance(target, ast.Attribute):
            continue
        owner = context.infer(target.value)
        if owner is None or owner.instance or owner.symbol.kind not in ("module", "class"):
            continue
        value = context.infer(node.value) if context.is_upstream(owner.symbol.module) else None
        if value is None or not value.symbol.functions or value.symbol.module != context.file.module:
            continue
        found = context.universe.attribute(owner.symbol, target.attr)
        if found is not None and found.functions:
            ours = value.symbol.functions[-1]
            home = Symbol("", found.module, found.qualname.rpartition(".")[0])
            yield from _copy(ours, home, found.functions[-1], context)


def _copy(
    ours: FunctionNode | Function, owner: Symbol, original: Function, context: Context
) -> Iterator[CopyContract]:
    first, last = (ours.line, ours.end_line) if isinstance(ours, Function) else (ours.lineno, ours.end_lineno)
    copy = statements(context.file.text, first, last or first)
    if len(copy) < MINIMUM_LINES:
        return
    likeness = resemblance(copy, _original(original, owner, context.universe))
    if likeness >= MINIMUM_RESEMBLANCE:
        place = context.place(ours) if isinstance(ours, ast.AST) else context.line(ours.line)
        yield CopyContract(
            symbol=f"{owner.name}.{original.name}",
            owner=owner.name,
            name=original.name,
            resemblance=round(likeness, 2),
            copy=copy,
            place=place,
        )


def _original(function: Function, owner: Symbol, universe: Universe) -> tuple[str, ...]:
    """The statements of an upstream function."""
    if (tree := universe.tree_of(owner.module)) is not None:
        qualname = f"{owner.qualname}.{function.name}" if owner.qualname else function.name
        tree.note((body_look(owner.module, qualname),))
    return _statements(function, owner.module, universe)


@judge(CopyContract)
def judge_copy(contract: CopyContract, pair: Comparison) -> Iterator[Finding]:
    """The original changed in lines that the copy still has, or gained some between lines it has."""
    before = _function(contract, pair.old, pair.old.resolve(contract.owner))
    after = _function(contract, pair.new, pair.now(contract.owner))
    if before is None or after is None or before[0].body == after[0].body:
        return
    changes = edits(_statements(*before, pair.old), _statements(*after, pair.new))
    parts = concerning(changes, contract.copy)
    for lost, gained in parts:
        if not lost:
            change = f"gained `{_cut(gained)}`"
        elif gained:
            change = f"changed: `{_cut(lost, gained)}` now reads `{_cut(gained, lost)}`"
        else:
            change = f"changed: `{_cut(lost)}` is gone"
        reason = f"{contract.symbol}(), copied here, {change}"
        yield Finding(
            contract, ChangeKind.COPIED_BODY_CHANGED, contract.symbol, Ground.COPIED, reason,
            part=f"{lost}\n{gained if not lost else ''}",
        )  # fmt: skip


def _function(
    contract: CopyContract, universe: Universe, owner: Symbol | None
) -> tuple[Function, str] | None:
    found = universe.attribute(owner, contract.name) if owner is not None else None
    if found is None or not found.functions:
        return None
    return found.functions[-1], found.module


def _statements(function: Function, module: str, universe: Universe) -> tuple[str, ...]:
    source = universe.source(module)
    return statements(source, function.line, function.end_line) if source is not None else ()


def _cut(line: str, other: str = "") -> str:
    """A line that is short enough to be read, with that in which it differs from another one."""
    if len(line) <= _LONGEST:
        return line
    same = 0
    while same < min(len(line), len(other)) and line[same] == other[same]:
        same += 1
    if same > _LONGEST // 2:
        line = f"…{line[same - _LONGEST // 3 :]}"
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}…"
