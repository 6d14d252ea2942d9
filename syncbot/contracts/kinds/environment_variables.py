"""Environment variables of upstream that the backend sets, or reads from upstream's module of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted, string
from syncbot.api.options import VARIABLE
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge
from syncbot.contracts.removed_options import dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentVariableContract(Contract):
    """The variable ``symbol`` is set for upstream, or read from ``module`` by its ``__getattr__``."""

    module: str = ""


@finder(ast.Assign)
def find_assigned(node: ast.Assign, context: Context) -> Iterator[EnvironmentVariableContract]:
    """``os.environ["NAME"] = …``."""
    for target in node.targets:
        if isinstance(target, ast.Subscript) and _is_environment(target.value):
            yield from _set([target.slice], context)


@finder(ast.Call)
def find_set(node: ast.Call, context: Context) -> Iterator[EnvironmentVariableContract]:
    """``os.environ.setdefault("NAME", …)``, ``setenv("NAME", …)``, ``os.environ.update``, ``patch.dict``."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if called in ("setenv", "putenv") or (called == "setdefault" and _is_environment(owner)):
        yield from _set(node.args[:1], context)
    first = node.args[0] if node.args else None
    if (called == "update" and _is_environment(owner)) or (called == "dict" and _is_environment(first)):
        for argument in node.args:
            if isinstance(argument, ast.Dict):
                yield from _set([k for k in argument.keys if k is not None], context)


@finder(ast.Attribute)
def find_read(node: ast.Attribute, context: Context) -> Iterator[EnvironmentVariableContract]:
    """``module.NAME`` that only a ``__getattr__`` of the module gives: other ones are attributes."""
    if not VARIABLE.match(node.attr) or not isinstance(node.ctx, ast.Load):
        return
    base = context.infer(node.value)
    if base is None or base.instance or base.symbol.kind != "module":
        return
    if not context.is_upstream(base.symbol.module) or tests_for(context.guards, node.attr):
        return
    found = context.universe.attribute(base.symbol, node.attr)
    if found is not None and found.kind == "unknown" and found.module == base.symbol.module:
        yield EnvironmentVariableContract(
            symbol=node.attr, module=base.symbol.module, place=context.place(node)
        )


def _set(names: list[ast.expr], context: Context) -> Iterator[EnvironmentVariableContract]:
    for name in names:
        if VARIABLE.match(variable := string(name) or ""):
            yield EnvironmentVariableContract(symbol=variable, place=context.place(name))


def _is_environment(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Constant):
        return node.value == "os.environ"
    return isinstance(node, ast.expr) and (dotted(node) or "").endswith("environ")


@judge(EnvironmentVariableContract)
def judge_variable(contract: EnvironmentVariableContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream does not read the variable any more."""
    name = contract.symbol
    if contract.module:
        owner = pair.now(contract.module)
        after = owner.module if owner is not None and owner.kind == "module" else ""
        if pair.old_tree.blob(contract.module) == pair.new_tree.blob(after):
            return
        had = pair.old_tree.derived(contract.module, pair.options)
        has = pair.new_tree.derived(after, pair.options)
        if had is None or has is None:
            return
        if name in had.variables and name not in has.variables:
            found = pair.new.attribute(owner, name) if owner is not None else None
            if found is not None and found.kind != "unknown":
                return
            pair.new_tree.note((after,))
            reason = f"{after} does not know {name} any more: reading it raises AttributeError"
            yield Finding(
                contract, ChangeKind.VARIABLE_REMOVED, f"{after}.{name}", Ground.MEMBER_GONE, reason,
                subject=name,
            )  # fmt: skip
        return
    home = dropped(pair, "env", (f"'{name}'", f'"{name}"'), lambda o: name in o.variables)
    if home is not None:
        reason = f"nothing upstream reads {name} any more (before: {home}), so that setting it has no effect"
        yield Finding(contract, ChangeKind.VARIABLE_REMOVED, name, Ground.NOT_READ, reason, subject=name)
