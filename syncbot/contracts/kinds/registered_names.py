"""Names under which upstream registers its classes, and that the backend writes into options for it:
``{"connector": "FastConnector"}``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.expressions import string
from syncbot.api.tree import ModuleTree
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

# As classes are called: several words, each beginning large.
_NAME = re.compile(r"(?=\w{10,60}$)[A-Z]\w*[a-z0-9][A-Z]\w*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredNameContract(Contract):
    """The text ``symbol`` is the value of the option ``key``."""

    told_beside: ClassVar[bool] = True
    key: str


@finder(ast.Dict)
def find_in_options(node: ast.Dict, context: Context) -> Iterator[RegisteredNameContract]:
    """``{"option": "Name"}``."""
    for key, value in zip(node.keys, node.values, strict=True):
        option = string(key) if key is not None else None
        if option is not None:
            yield from _named(option, value, context)


@finder(ast.keyword)
def find_passed(node: ast.keyword, context: Context) -> Iterator[RegisteredNameContract]:
    """``call(option="Name")``."""
    if node.arg is not None:
        yield from _named(node.arg, node.value, context)


def _named(option: str, value: ast.expr, context: Context) -> Iterator[RegisteredNameContract]:
    name = string(value)
    if name is not None and option.isidentifier() and _NAME.match(name) and name not in context.own_names:
        yield RegisteredNameContract(symbol=name, key=option, place=context.place(value))


@judge(RegisteredNameContract)
def judge_registered(contract: RegisteredNameContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream registered something under the name, and knows no such name any more."""
    name = contract.symbol
    homes = _registering(pair.old_tree, (*pair.changed, *pair.removed), name)
    if not homes or pair.new_tree.mentioning(pair.new_tree.modules, name):
        return
    own = tuple(pair.own_tree.modules)
    if _registering(pair.own_tree, own, name) or pair.own_tree.mentioning(own, f"class {name}"):
        return
    # Which commit took it away, these tell.
    pair.old_tree.note(homes)
    pair.new_tree.note(homes)
    reason = f"upstream no longer registers {name} (before: {homes[0]}), which {contract.key} is set to here"
    kind = ChangeKind.REGISTRATION_REMOVED
    yield Finding(contract, kind, name, Ground.NOT_DEFINED, reason, subject=contract.key)


def _registering(tree: ModuleTree, modules: tuple[str, ...], name: str) -> list[str]:
    """The modules that register something under a name."""
    said = re.compile(rb"\bregister\w*\(\s*[\"']%s[\"']" % re.escape(name.encode()))
    found = tree.mentioning(modules, f'"{name}"', f"'{name}'")
    return [module for module in found if said.search(tree.source(module) or b"")]
