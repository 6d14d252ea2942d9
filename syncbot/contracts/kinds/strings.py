"""Dotted names in strings: class paths, entry points, targets of ``mock.patch``, registry keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.api.syntax import parsed
from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.tried_candidates import QUESTIONS, is_candidate
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge
from syncbot.contracts.spelled_names import is_there

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+([.:][A-Za-z_]\w*)*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class StringContract(Contract):
    """A string that names an upstream symbol; ``patched`` where it is the target of a ``patch`` call,
    ``asked`` where the code asks whether there is such a module, ``tried`` where it goes on without."""

    patched: bool
    asked: bool = False
    tried: bool = False


@finder(ast.Constant)
def find_strings(node: ast.Constant, context: Context) -> Iterator[StringContract]:
    """String constants that are a dotted name the upstream tree has."""
    value = node.value
    if not isinstance(value, str) or len(value) > 200 or not _DOTTED.match(value):
        return
    name = value.replace(":", ".")
    if isinstance(context.parent, ast.Expr) or not context.is_upstream(name) or _is_entry(context.parent):
        return
    if context.universe.resolve(name) is None:
        return
    call = context.parent
    # A logger may have any name.
    if isinstance(call, ast.Call) and "logger" in (dotted(call.func) or "").rpartition(".")[2].lower():
        return
    patched = isinstance(call, ast.Call) and "patch" in (dotted(call.func) or "")
    tree = parsed(context.file.text)
    tried = tree is not None and is_candidate(node, context.parents, tree)
    asked = _is_asked_for(node, call)
    yield StringContract(symbol=name, patched=patched, asked=asked, tried=tried, place=context.place(node))


def _is_entry(parent: ast.AST | None) -> bool:
    """Whether the string is the key of an entry of ``sys.modules`` that is set: a contract of its own."""
    return (
        isinstance(parent, ast.Subscript)
        and isinstance(parent.ctx, ast.Store)
        and dotted(parent.value) == "sys.modules"
    )


def _is_asked_for(node: ast.Constant, parent: ast.AST | None) -> bool:
    """Whether a string is a question: ``find_spec("a.b")``, ``sys.modules.get("a.b")``, ``"a.b" in
    sys.modules``."""
    match parent:
        case ast.Call(func=called, args=args):
            written = dotted(called) or ""
            default = written == "sys.modules.pop" and len(args) > 1
            return default or written == "sys.modules.get" or written.rpartition(".")[2] in QUESTIONS
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[asked]):
            return left is node and dotted(asked) == "sys.modules"
    return False


@judge(StringContract)
def judge_string(contract: StringContract, pair: Comparison) -> Iterator[Finding]:
    """The named symbol is gone."""
    before, after = pair.old.resolve(contract.symbol), pair.new.resolve(contract.symbol)
    if before is None or not is_there(pair.old, before):
        return
    if not pair.vanished(after):
        return
    moved = pair.relocation(contract.symbol)
    kind = ChangeKind.SYMBOL_REMOVED if moved is None else moved.kind
    reason = f'the string "{contract.symbol}" names what no longer exists'
    if moved is not None:
        reason += f"; it is now {moved.name}"
    ground = Ground.PATCH_STRING_GONE if contract.patched else Ground.STRING_GONE
    if contract.asked:
        ground, reason = Ground.TESTED_FOR, f"{reason}, which the code here tests for"
    elif contract.tried:
        ground, reason = Ground.TESTED_FOR, f"{reason}; the code here goes on without it"
    details = NameDetails(old=contract.symbol, new=moved.name if moved is not None else None)
    yield Finding(contract, kind, contract.symbol, ground, reason, details=details)
