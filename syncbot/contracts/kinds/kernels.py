"""Kernels of upstream that the backend launches: ``kernel[grid](arguments, BLOCK=…)``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.api.model import Function, Parameter
from syncbot.api.signatures import Arguments, Signature
from syncbot.api.symbols import Symbol
from syncbot.contracts.calls.binding import compare_binding
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_NAMED = re.compile(r"""['"](\w+)['"]""")


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelContract(Contract):
    """A launch of the kernel ``symbol``, without the launch's own options, such as ``num_warps``."""

    arguments: Arguments


@finder(ast.Call)
def find_launches(node: ast.Call, context: Context) -> Iterator[KernelContract]:
    """Launches of functions that a configured decorator makes kernels."""
    if not isinstance(node.func, ast.Subscript):
        return
    called = context.infer(node.func.value)
    if called is None or called.instance or called.bound or called.symbol.kind != "function":
        return
    kernels = [f for f in called.symbol.functions if _is_kernel(f, context.knowledge.kernel_decorators)]
    if not kernels or not context.is_upstream(called.symbol.module):
        return
    known, passed = {p.name for f in kernels for p in f.parameters}, Arguments.of(node)
    yield KernelContract(
        symbol=called.symbol.name,
        arguments=replace(passed, keywords=tuple(k for k in passed.keywords if k in known)),
        place=context.place(node),
    )


@judge(KernelContract)
def judge_launch(contract: KernelContract, pair: Comparison) -> Iterator[Finding]:
    """The launch no longer binds to the kernel's parameters, or binds to others."""
    before = _signatures(contract.symbol, pair.old.resolve)
    after = _signatures(contract.symbol, pair.now)
    callee = f"the kernel {contract.symbol}"
    yield from compare_binding(contract, contract.symbol, callee, contract.arguments, before, after)


def _signatures(name: str, resolve: Callable[[str], Symbol | None]) -> Sequence[Signature]:
    symbol = resolve(name)
    if symbol is None or symbol.kind != "function":
        return ()
    return [Signature(_filled(function)) for function in symbol.functions]


def _filled(function: Function) -> tuple[Parameter, ...]:
    """The parameters; those that another decorator names, as tuning and heuristics do, may be left out."""
    given = {name for decorator in function.decorators for name in _NAMED.findall(decorator)}
    return tuple(
        replace(p, default="...") if p.required and p.name in given else p for p in function.parameters
    )


def _is_kernel(function: Function, decorators: Sequence[str]) -> bool:
    return any(decorator.partition("(")[0] in decorators for decorator in function.decorators)
