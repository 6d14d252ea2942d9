"""Objects of upstream's that the backend puts into a set or uses as keys, and whose class lost its hash.

Sources: https://docs.python.org/3/reference/datamodel.html#object.__hash__,
https://docs.python.org/3/library/dataclasses.html#dataclasses.dataclass, ``unsafe_hash``, and
https://jcristharif.com/msgspec/structs.html#equality-and-ordering.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.model import Class
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.class_decorators import keep_members
from syncbot.contracts.attributes.frozen_classes import dataclass_option, says_frozen, telling_bases
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

# Their objects compare by value and have no hash, unless they are frozen.
_VALUES = {"BaseModel", "Struct"}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnhashableContract(Contract):
    """The hash of an object of ``symbol`` is taken."""


@finder(ast.Dict, ast.Set, ast.Call)
def find_hashed(node: ast.AST, context: Context) -> Iterator[UnhashableContract]:
    """``{x: …}``, ``{x}`` and ``hash(x)`` of an object of an upstream class, or of a tuple of some."""
    for value in _hashed(node):
        if not isinstance(value, ast.Name | ast.Attribute | ast.Call):
            continue
        found = context.infer(value)
        if found is None or not found.instance or not context.is_upstream(found.symbol.module):
            continue
        if not catches_attribute_error(context.parents, node, ("TypeError",)):
            yield UnhashableContract(symbol=found.symbol.name, place=context.place(value))


def _hashed(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Dict(keys=keys):
            values = [key for key in keys if key is not None]
        case ast.Set(elts=values):
            pass
        case ast.Call(func=ast.Name(id="hash"), args=[value], keywords=[]):
            values = [value]
        case _:
            return
    for value in values:
        yield from value.elts if isinstance(value, ast.Tuple) else (value,)


@judge(UnhashableContract)
def judge_hashed(contract: UnhashableContract, pair: Comparison) -> Iterator[Finding]:
    """Objects of the class have no hash now, and had one."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or after.kind != "class" or _loses_hash(pair.old, before):
        return
    why = _loses_hash(pair.new, after)
    if why is not None:
        yield Finding(
            contract, ChangeKind.ATTRIBUTE_REMOVED, f"{after.name}.__hash__", Ground.MEMBER_GONE,
            f"an object of {after.name} has no hash any more: {why}", subject="__hash__",
        )  # fmt: skip


def _loses_hash(universe: Universe, class_: Symbol) -> str | None:
    """Why objects of a class surely have no hash; None where they may have one."""
    lineage = universe.lineage(class_)
    external = telling_bases(universe, class_)
    bodies = [one.class_ for one in lineage.classes if one.class_ is not None]
    if not external <= _VALUES or not keep_members(universe, class_) or any(map(_says_more, bodies)):
        return None
    for body in bodies:
        names = {a.name for a in body.attributes} | {f.name for f in body.functions}
        if "__hash__" in names:
            return None
        if "__eq__" in names:
            return f"{body.name} has an __eq__ and no __hash__"
        options = {
            name: dataclass_option(body.decorators, name, default=name == "eq")
            for name in ("eq", "frozen", "unsafe_hash")
        }
        if options == {"eq": True, "frozen": False, "unsafe_hash": False}:
            return f"{body.name} is a dataclass that is not frozen"
        if body.decorators and options["eq"] is not False:
            return None
    if external and not says_frozen(bodies):
        return "models and Structs that are not frozen have none"
    return None


def _says_more(body: Class) -> bool:
    """Whether keywords of a class may make it otherwise, or turn off how objects are compared."""
    return any(k.startswith(("metaclass", "eq", "**")) for k in body.keywords)
