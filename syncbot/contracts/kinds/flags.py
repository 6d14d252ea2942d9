"""Flags of upstream's command line that the backend passes, or reads from what was parsed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.options import flag_name
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge
from syncbot.contracts.removed_options import dropped, flags_of

# What defines a flag: of argparse, optparse, click, typer, pytest, which is asked for its own.
_DEFINING = ("add_argument", "add_option", "option", "Option", "addoption", "getoption")
_NAMESPACES = ("args", "parsed_args", "cli_args")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagContract(Contract):
    """``--symbol``, as a string or (``parsed``) as an attribute of what a parser gave; ``told``: a string
    that a call is given by name, which may only tell people of it. ``spelled`` otherwise than upstream does,
    which may take both."""

    parsed: bool
    told: bool = False
    spelled: str = ""


@finder(ast.Constant)
def find_flags(node: ast.Constant, context: Context) -> Iterator[FlagContract]:
    """Strings that are one flag, with or without a value, unless the backend defines the flag itself."""
    if not isinstance(node.value, str) or not node.value.startswith("--"):
        return
    name = flag_name(node.value)
    if name is not None and not _own(name, context):
        told = isinstance(context.parent, ast.keyword)
        written = node.value.partition("=")[0]
        spelled = written if "_" in written else ""
        yield FlagContract(symbol=name, parsed=False, told=told, spelled=spelled, place=context.place(node))


@finder(ast.Attribute, words=_NAMESPACES)
def find_parsed(node: ast.Attribute, context: Context) -> Iterator[FlagContract]:
    """Attributes of parameters and variables that are called as parsed arguments are."""
    if not isinstance(node.value, ast.Name) or node.value.id not in _NAMESPACES:
        return
    if not isinstance(node.ctx, ast.Load) or tests_for(context.guards, node.attr):
        return
    call = context.parent
    if isinstance(call, ast.Call) and call.func is node:
        return
    if context.infer(node.value) is None and not _own(node.attr, context):
        yield FlagContract(symbol=node.attr, parsed=True, place=context.place(node))


def _own(name: str, context: Context) -> bool:
    """Whether the backend adds that flag to a parser."""
    call = context.parent
    if isinstance(call, ast.Call) and (dotted(call.func) or "").rpartition(".")[2] in _DEFINING:
        return True
    tree = context.universe.tree_of(context.file.module)
    return tree is not None and name in flags_of(tree)


def _is_option(flag: str, tree: ModuleTree) -> bool:
    """Whether a tree makes an option of a flag otherwise than by argparse, as click and optparse do."""
    for module in tree.mentioning(tree.modules, f"'{flag}'", f'"{flag}"'):
        for node in every_node(parsed(tree.source(module)) or ast.Pass()):
            match node:
                case ast.Call(func=func, args=args) if (dotted(func) or "").lower().endswith("option"):
                    if any(isinstance(a, ast.Constant) and a.value == flag for a in args):
                        return True
    return False


def _is_of_field(name: str, tree: ModuleTree) -> bool:
    """Whether a class has a field of a flag's name, where a module makes flags of fields in a loop."""
    for module in tree.mentioning(tree.mentioning(tree.modules, "add_argument"), 'f"--{', "f'--{"):
        table = tree.table(module)
        if any(a.name == name for c in (table.classes if table is not None else ()) for a in c.attributes):
            return True
    return False


@judge(FlagContract)
def judge_flag(contract: FlagContract, pair: Comparison) -> Iterator[Finding]:
    """No parser upstream defines the flag any more."""
    name = contract.symbol
    home = dropped(pair, "add_argument", (name, name.replace("_", "-")), lambda o: name in o.flags)
    if home is None:
        return
    shown = f"--{name.replace('_', '-')}"
    if _is_option(shown, pair.new_tree) or _is_of_field(name.replace("-", "_"), pair.new_tree):
        return
    spelled = f", spelled {contract.spelled} here" if contract.spelled else ""
    reason = f"upstream no longer defines the flag {shown}{spelled} (before: {home})"
    ground = Ground.UNKNOWN_RECEIVER if contract.parsed else Ground.NOT_DEFINED
    if contract.told:
        reason, ground = f"{reason}, which this may only be a text about", Ground.DOUBTED
    kind = ChangeKind.FLAG_REMOVED
    yield Finding(contract, kind, shown, ground, reason, subject=name)
