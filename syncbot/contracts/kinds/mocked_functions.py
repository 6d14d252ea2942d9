"""Functions that tests put into upstream's place for a while: ``patch.object(Class, "name", new)``, and
``setattr`` of pytest's ``monkeypatch``. That the name is there, others see to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted, string
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.contracts.calls.made_functions import made_function
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.former_fit import fitted_before
from syncbot.contracts.overrides.replaced_bindings import replaced_binding
from syncbot.contracts.overrides.replacement_fit import compare_replacement
from syncbot.contracts.registry import finder, judge

_REPLACING = (".patch", ".patch.object", ".patch.multiple", ".setattr")
# What rests on a caller that is seen, which the test need not run.
_OF_CALLERS = {Ground.PASSED_BY_NAME, Ground.PASSED_BY_PLACE, Ground.NEWLY_PASSED}


@dataclass(frozen=True, slots=True, kw_only=True)
class MockedFunctionContract(Contract):
    """``owner.name`` is the function ``given`` for a while."""

    owner: str
    name: str
    given: Function


@finder(ast.Call, words=("patch", "setattr"))
def find_mocked(node: ast.Call, context: Context) -> Iterator[MockedFunctionContract]:
    """Yield what a test replaces by a function that it writes out or names."""
    written = dotted(node.func)
    if written is None or not f".{written}".endswith(_REPLACING) or written == "setattr":
        return
    for owner, name, value in _replaced(written, node, context):
        function = made_function(value, context) if context.is_upstream(owner.module) else None
        if function is not None:
            yield MockedFunctionContract(
                symbol=f"{owner.name}.{name}", owner=owner.name, name=name, given=function,
                place=context.place(node),
            )  # fmt: skip


def _replaced(written: str, node: ast.Call, context: Context) -> Iterator[tuple[Symbol, str, ast.expr]]:
    """The owners and names that a call puts something under, each with that."""
    named = {k.arg: k.value for k in node.keywords if k.arg is not None}
    match node.args:
        case [target] if written.endswith("patch.multiple"):
            owner = _owner(target, context)
            yield from ((owner, name, value) for name, value in named.items() if owner is not None)
            return
        case [target, ast.Constant(value=str(name)), *values] if not written.endswith("patch"):
            owner = _owner(target, context)
        case [ast.Constant(value=str(path)), *values] if written.endswith(("patch", "setattr")):
            before, _, name = path.rpartition(".")
            owner = context.universe.resolve(before) if context.is_upstream(before) else None
        case _:
            return
    value = values[0] if values else named.get("new", _side_effect(named))
    if owner is not None and value is not None:
        yield owner, name, value


def _side_effect(named: dict[str, ast.expr]) -> ast.expr | None:
    """Return the function that a mock calls with the arguments of upstream's own, the object too."""
    match named.get("autospec"):
        case ast.Constant(value=True):
            return named.get("side_effect")
    return None


def _owner(node: ast.expr, context: Context) -> Symbol | None:
    path = string(node)
    if path is not None:
        return context.universe.resolve(path) if context.is_upstream(path) else None
    base = context.infer(node)
    known = base is not None and not base.instance and base.symbol.kind in ("module", "class")
    return base.symbol if base is not None and known else None


@judge(MockedFunctionContract)
def judge_mocked(contract: MockedFunctionContract, pair: Comparison) -> Iterator[Finding]:
    """Yield a finding where what upstream has there takes or gives something else now."""
    old_owner, new_owner = pair.old.resolve(contract.owner), pair.now(contract.owner)
    before = pair.old.attribute(old_owner, contract.name) if old_owner is not None else None
    after = pair.new.attribute(new_owner, contract.name) if new_owner is not None else None
    if new_owner is None or before is None or after is None or not before.functions or not after.functions:
        return
    home = new_owner if new_owner.kind == "class" else Symbol("module", after.module, "")
    old, new = before.functions[-1], after.functions[-1]
    if not fitted_before(contract.given, old, home):
        return
    binding = replaced_binding(new_owner, after)
    for found in compare_replacement(
        contract, contract.given, old, new, after.name, home, pair, binding=binding
    ):
        unseen = found.ground in _OF_CALLERS
        yield found.doubted(Ground.DOUBTED, "; whether the test runs that is not seen") if unseen else found
