"""Flags that the backend adds to a parser which upstream's functions fill as well: argparse takes each once
(https://docs.python.org/3/library/argparse.html#conflict-handler)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, dotted, string
from syncbot.api.options import FLAG
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFlagContract(Contract):
    """The flag ``symbol`` is added to what the upstream function ``filler`` adds its own to."""

    told_beside: ClassVar[bool] = True
    filler: str


@finder(ast.Call, words=("add_argument",))
def find_added(node: ast.Call, context: Context) -> Iterator[OwnFlagContract]:
    """``parser.add_argument("--flag")``, where an upstream function gives the parser, or is given it."""
    match node.func:
        case ast.Attribute(value=ast.Name(id=parser), attr="add_argument"):
            flags = [flag for flag in map(string, node.args) if flag is not None and FLAG.match(flag)]
        case _:
            return
    scope = context.function or (parsed(context.file.text) if flags else None)
    filler = _filler(scope, parser, context) if flags and scope is not None else ""
    for flag in flags if filler else ():
        yield OwnFlagContract(symbol=flag, filler=filler, place=context.place(node))


def _filler(scope: ast.AST, parser: str, context: Context) -> str:
    """The upstream function that a parser, or that of a group, is given to in a scope, or comes from; empty
    for none."""
    names = {parser}
    nodes = list(_of_scope(scope))
    for node in nodes:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="add_argument_group")),
            ) if name == parser:
                names.add(owner)
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name in names:
                pass
            case ast.Call(args=args, keywords=keywords) as call:
                given = [*args, *(keyword.value for keyword in keywords)]
                if not any(isinstance(each, ast.Name) and each.id in names for each in given):
                    continue
            case _:
                continue
        if found := _upstream_function(call, context):
            return found
    return ""


def _of_scope(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of functions and classes in it."""
    for child in children(node):
        if not isinstance(child, FunctionNode | ast.ClassDef):
            yield child
            yield from _of_scope(child)


def _upstream_function(call: ast.Call, context: Context) -> str:
    found = context.infer(call.func)
    known = found is not None and not found.instance and found.symbol.kind == "function"
    return found.symbol.name if found and known and context.is_upstream(found.symbol.module) else ""


@judge(OwnFlagContract)
def judge_own_flag(contract: OwnFlagContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream adds the same flag now, there or in a module that the function asks for."""
    before, after = pair.old.resolve(contract.filler), pair.now(contract.filler)
    if before is None or after is None or _adding(pair.old_tree, before.module, contract.symbol):
        return
    homes = _adding(pair.new_tree, after.module, contract.symbol)
    if not homes:
        return
    # Which commit brought it, these tell.
    pair.old_tree.note(homes)
    pair.new_tree.note(homes)
    reason = (
        f"{homes[0]} now adds the flag {contract.symbol} to the parser that {after.name}() fills: "
        "argparse refuses it a second time"
    )
    yield Finding(contract, ChangeKind.FLAG_TAKEN, contract.symbol, Ground.REGISTERED_TWICE, reason)


def _adding(tree: ModuleTree, module: str, flag: str) -> Sequence[str]:
    """The modules that add a flag, of one and those that it imports from."""
    table = tree.table(module)
    imported = (tree.absolute(module, i.level, i.module) for i in table.imports) if table is not None else ()
    near = dict.fromkeys([module, *(name for name in imported if tree.exists(name))])
    return [m for m in tree.mentioning(tuple(near), f'"{flag}"', f"'{flag}'") if _adds(tree.source(m), flag)]


def _adds(source: bytes | None, flag: str) -> bool:
    text = parsed(source) if source is not None else None
    return any(
        isinstance(node, ast.Call)
        and (dotted(node.func) or "").endswith("add_argument")
        and flag in map(string, node.args)
        for node in (every_node(text) if text is not None else ())
    )
