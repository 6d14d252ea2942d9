"""Upstream classes that objects are tested for: by ``isinstance``, by ``issubclass``, by a case."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.contracts.attributes.type_forms import no_class_any_more, refuses_tests, type_form_of_class
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCheckContract(Contract):
    """An object is tested for being one of the class ``symbol``, which is imported as ``named``."""

    named: str = ""


@finder(ast.Call, words=("isinstance", "issubclass"))
def find_checks(node: ast.Call, context: Context) -> Iterator[InstanceCheckContract]:
    """``isinstance(x, C)`` and ``issubclass(x, (C, D))``."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
            for kind in kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]:
                yield from _contract(kind, node, context)


@finder(ast.MatchClass)
def find_cases(node: ast.MatchClass, context: Context) -> Iterator[InstanceCheckContract]:
    """``case C():``."""
    yield from _contract(node.cls, node, context)


def _contract(kind: ast.expr, node: ast.AST, context: Context) -> Iterator[InstanceCheckContract]:
    found = context.infer(kind)
    if found is None or found.instance or found.symbol.kind != "class":
        return
    if context.is_upstream(found.symbol.module):
        yield InstanceCheckContract(
            symbol=found.symbol.name, named=_imported_as(kind, context), place=context.place(node)
        )


def _imported_as(kind: ast.expr, context: Context) -> str:
    """The dotted name by which an import gives a name, empty for another one: upstream may have had one class
    under two names."""
    module = context.file.module
    table, tree = context.universe.table(module), context.universe.tree_of(module)
    if table is None or tree is None or not isinstance(kind, ast.Name):
        return ""
    given = (i for i in table.imports if i.local == kind.id and i.name is not None)
    return next((f"{tree.absolute(module, i.level, i.module)}.{i.name}" for i in given), "")


@judge(InstanceCheckContract)
def judge_check(contract: InstanceCheckContract, pair: Comparison) -> Iterator[Finding]:
    """Yield a finding where what is tested for is a function now, or a form that no test takes: the test
    raises TypeError."""
    old, new = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    named = pair.new.resolve(contract.named) if contract.named else None
    if named is not None and named.kind == "class":
        return
    form = type_form_of_class(old, new)
    if form is not None and refuses_tests(form):
        yield Finding(
            contract, ChangeKind.TYPE_CHANGED, contract.symbol, Ground.TESTED_FOR_FUNCTION,
            no_class_any_more(contract.symbol, form),
        )  # fmt: skip
    if old is not None and old.kind == "class" and new is not None and new.kind == "function":
        yield Finding(
            contract, ChangeKind.CLASS_BECAME_FUNCTION, contract.symbol, Ground.TESTED_FOR_FUNCTION,
            f"{contract.symbol} was a class and is now a function: this test raises TypeError",
        )  # fmt: skip
