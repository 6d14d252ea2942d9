"""Hooks that the backend implements for a plugin manager of upstream's (pluggy): it calls those that upstream
specifies, by name, with the arguments that the specification has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import FunctionNode, named_arguments
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.parameter_types import is_marked
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class HookContract(Contract):
    """An implementation of the hook ``name``, which ``symbol`` specifies, with the parameters that it has no
    default for; ``optional`` where nobody has to specify it."""

    name: str
    parameters: tuple[str, ...]
    optional: bool
    upstream: tuple[str, ...]


@finder(ast.FunctionDef, ast.AsyncFunctionDef)
def find_hooks(node: FunctionNode, context: Context) -> Iterator[HookContract]:
    """Functions that are marked as implementations, and those of modules named as pytest's hooks are."""
    named = not context.qualname and node.name.startswith("pytest_")
    if not is_marked(node) and not named:
        return
    specified = context.inference.hook(node.name, context.upstream)
    if specified is None:
        return
    arguments = named_arguments(node.args)
    required = len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults)
    first = 1 if isinstance(context.parent, ast.ClassDef) else 0
    yield HookContract(
        symbol=f"{specified[0]}.{node.name}",
        name=node.name,
        parameters=tuple(a.arg for a in arguments[first:required]),
        optional=any("optionalhook" in ast.unparse(d) for d in node.decorator_list),
        upstream=context.upstream,
        place=context.place(node),
    )


@judge(HookContract)
def judge_hook(contract: HookContract, pair: Comparison) -> Iterator[Finding]:
    """Nothing specifies the hook any more, or its specification lost an argument that is asked for."""
    old, new = (side.hook(contract.name, contract.upstream) for side in (pair.in_old, pair.in_new))
    if old is None:
        return
    if new is None:
        reason = f"{contract.symbol}, which specified this hook, no longer exists: nobody calls it"
        ground = Ground.TESTED_FOR if contract.optional else Ground.DEAD_OVERRIDE
        mentioning = pair.new_tree.mentioning(pair.new_tree.modules, contract.name)
        if pair.new_names.homes(mentioning, contract.name):
            ground, reason = Ground.DOUBTED, f"{reason}, unless what bears its name still specifies it"
        yield Finding(
            contract, ChangeKind.HOOK_REMOVED, contract.symbol, ground, reason, subject=contract.name
        )
        return
    was, now = ({p.name for p in function.parameters} for _, function in (old, new))
    for name in contract.parameters:
        if name in was and name not in now:
            reason = f"{contract.symbol}() lost {name}, which this hook asks for: it is refused"
            yield Finding(
                contract, ChangeKind.PARAMETER_REMOVED, contract.symbol, Ground.SIGNATURE_REQUIRES, reason,
                subject=name,
            )  # fmt: skip
