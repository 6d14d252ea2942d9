"""Attributes of upstream modules, classes and objects that the backend reads or writes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.expressions import dotted, string
from syncbot.api.options import VARIABLE
from syncbot.contracts.attributes.set_before import set_before
from syncbot.contracts.conditions.absent_names import all_fail, parents_in
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.conditions.tested_keys import is_prepared
from syncbot.contracts.context import Context
from syncbot.contracts.inference.values import Value
from syncbot.contracts.model import Contract
from syncbot.contracts.registry import finder
from syncbot.contracts.spelled_names import is_there

# What every module has, or every object.
_OF_EVERY_MODULE = {
    *("__name__", "__file__", "__path__", "__doc__", "__spec__", "__loader__", "__package__", "__cached__"),
    *("__builtins__", "__dict__", "__class__", "__annotations__", "__getattr__", "__dir__"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeContract(Contract):
    """``receiver.name``; the receiver is an object of a class (``instance``), a module or a class. ``use`` is
    ``read``, ``write``, ``call`` or ``mock`` (replaced for a test); ``tolerant``: it may be missing;
    ``given``: the code here has set it before. The object may be of the classes ``others``, too; ``held``: a
    variable holds the class, so that it may be one derived from it."""

    receiver: str
    name: str
    instance: bool
    use: str
    tolerant: bool = False
    given: bool = False
    skip: int = 0
    others: tuple[str, ...] = ()
    held: bool = False


@finder(ast.Attribute)
def find_attributes(node: ast.Attribute, context: Context) -> Iterator[AttributeContract]:
    """Attribute reads, writes and calls on receivers that are known."""
    base = context.infer(node.value)
    # What a declared base lacks, each of the classes that a condition names may have.
    if base is None or (context.told_several(node.value) and _lacks(base, node.attr, context)):
        yield from _of_union(node, context)
    if base is None:
        return
    # ``del`` and ``+=`` fail where the attribute is gone, as reading it does.
    written = isinstance(node.ctx, ast.Store) and not isinstance(context.parent, ast.AugAssign)
    use = "write" if written else "read"
    if use == "write" and isinstance(context.parent, ast.Assign) and _is_patch(base, context):
        return
    if isinstance(context.parent, ast.Call) and context.parent.func is node:
        use = "call"
    for contract in attribute_contracts(base, node.attr, use, False, node, context):
        given = use != "write" and set_before(context.parents, node, context.file.text)
        held = _is_held(node.value, base, context)
        yield replace(contract, given=given, held=held) if given or held else contract


def _is_held(node: ast.expr, base: Value, context: Context) -> bool:
    """Whether a class is not asked by its name, but by that of a variable that is declared to hold it."""
    if base.instance or base.symbol.kind != "class":
        return False
    name = dotted(node) or ""
    if name.rpartition(".")[2] == base.symbol.qualname.rpartition(".")[2]:
        return False
    known = context.universe.local(context.file.module, name) if name else None
    return known is None or known.kind != "class"


def _of_union(node: ast.Attribute, context: Context) -> Iterator[AttributeContract]:
    """A contract with each class that the object may be of, and that has the attribute."""
    classes = context.alternatives(node.value) if isinstance(node.ctx, ast.Load) else ()
    for class_ in classes:
        others = tuple(other.name for other in classes if other.name != class_.name)
        use = "call" if isinstance(context.parent, ast.Call) and context.parent.func is node else "read"
        of_one = attribute_contracts(Value(class_, instance=True), node.attr, use, False, node, context)
        yield from (replace(contract, others=others) for contract in of_one)


def _lacks(base: Value, name: str, context: Context) -> bool:
    return base.instance and context.universe.member(base.symbol, name, base.skip) is None


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_patch(base: Value, context: Context) -> bool:
    """Whether an assignment to an attribute of ``base`` is a monkey-patch: a contract of its own."""
    return not base.instance and context.is_upstream(base.symbol.module)


@finder(ast.Call, words=("getattr", "hasattr", "delattr"))
def find_getattr(node: ast.Call, context: Context) -> Iterator[AttributeContract]:
    """``getattr(x, "name")``, ``delattr(x, "name")`` and ``hasattr(x, "name")``, which fails in an ``assert``
    alone."""
    if dotted(node.func) not in ("getattr", "delattr", "hasattr") or len(node.args) < 2:
        return
    name, base = string(node.args[1]), context.infer(node.args[0])
    if name is not None and base is not None:
        asked = dotted(node.func) == "hasattr" and not isinstance(context.parent, ast.Assert)
        for contract in attribute_contracts(base, name, "read", asked, node, context):
            helped = len(node.args) > 2 and not contract.tolerant and not _is_needed(node, context)
            yield replace(contract, tolerant=True) if helped else contract


def _is_needed(node: ast.Call, context: Context) -> bool:
    """Whether all that is done with what ``getattr(x, "name", None)`` gives raises where that is None."""
    default = node.args[2]
    if not isinstance(default, ast.Constant) or default.value not in (None, False):
        return False
    match context.parent:
        case ast.Attribute(value=used) | ast.Subscript(value=used) | ast.Call(func=used) if used is node:
            return True
        case (
            ast.Assign(targets=[ast.Name(id=given)]) | ast.AnnAssign(target=ast.Name(id=given))
        ) as statement if context.function is not None:
            function = context.function
            absent = None if default.value is None else False
            return all_fail(function, statement, {given: absent}, parents_in(function))
    return False


@finder(ast.Subscript)
def find_in_dict(node: ast.Subscript, context: Context) -> Iterator[AttributeContract]:
    """``X.__dict__["name"]`` and ``vars(X)["name"]`` of a module or class, ``X.model_fields["name"]``."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=owner, attr="__dict__" | "model_fields" | "__dataclass_fields__")
            | ast.Call(func=ast.Name(id="vars"), args=[owner], keywords=[]),
            slice=ast.Constant(value=str(name)),
            ctx=ast.Load(),
        ):
            base = context.infer(owner)
            if base is not None and not base.instance:
                tolerant = is_prepared(node, repr(name), context, "KeyError", "LookupError")
                yield from attribute_contracts(base, name, "read", tolerant, node, context)


@finder(ast.Call, words=("patch", "setattr", "delattr"))
def find_mocked(node: ast.Call, context: Context) -> Iterator[AttributeContract]:
    """``patch.object(x, "name")``, pytest's ``setattr(x, "name", …)`` and ``delattr``: they fail without the
    attribute, unless ``create=True`` or ``raising=False``."""
    owner, _, function = (dotted(node.func) or "").rpartition(".")
    by_mock = function == "object" and owner.rpartition(".")[2] == "patch"
    if not (by_mock or (owner and function in ("setattr", "delattr"))) or len(node.args) < 2:
        return
    name, base = string(node.args[1]), context.infer(node.args[0])
    tolerant = any(
        k.arg in ("create", "raising") and ast.unparse(k.value) == str(k.arg == "create")
        for k in node.keywords
    )
    if base is not None and name is not None and not tolerant:
        yield from attribute_contracts(base, name, "mock", False, node, context)


def attribute_contracts(
    base: Value, name: str, use: str, tolerant: bool, node: ast.AST, context: Context
) -> Iterator[AttributeContract]:
    """The contract with what has an attribute that is used at a node, if that is of upstream."""
    if name in _OF_EVERY_MODULE or (_is_special(name) and (base.instance or base.symbol.kind != "module")):
        return
    skip = _passed_over(base, name, context) if base.instance and use != "write" else base.skip
    symbol = _of_object(base, name, skip, context) if base.instance else _of_name(base, name, context)
    if symbol is None:
        return
    yield AttributeContract(
        symbol=symbol,
        receiver=base.symbol.name,
        name=name,
        instance=base.instance,
        use=use,
        tolerant=tolerant
        or tests_for(context.guards, name)
        or catches_attribute_error(context.parents, node),
        skip=skip,
        place=context.place(node),
    )


def _passed_over(base: Value, name: str, context: Context) -> int:
    """How many classes do not count for an attribute: those up to one that only gives it a value where it has
    read it, as in ``if self.name is None: self.name = …`` and ``self.name = f(self.name)``, and needs that of
    a base."""
    member = context.universe.member(base.symbol, name, base.skip)
    if member is None or len(member.attributes) < len(member.nodes):
        return base.skip
    own = rf"\bself\.{re.escape(name)}\b"
    tests, reads = re.compile(rf"(?:if|else|while) .*{own}"), re.compile(own)
    if not all(
        a.origin and (any(map(tests.match, a.guards)) or reads.search(a.value or ""))
        for a in member.attributes
    ):
        return base.skip
    return context.universe.lineage(base.symbol).classes.index(member.owner) + 1


def _of_object(base: Value, name: str, skip: int, context: Context) -> str | None:
    """The member of upstream that an attribute of an object is, ``skip`` of its classes passed over."""
    member = context.universe.member(base.symbol, name, skip)
    return member.symbol if member is not None and context.is_upstream(member.owner.module) else None


def _of_name(base: Value, name: str, context: Context) -> str | None:
    """Return what of upstream an attribute of a module or a class is, or what upstream's module takes from
    elsewhere. A variable of the environment has a contract of its own."""
    found = context.universe.attribute(base.symbol, name)
    if base.symbol.kind not in ("module", "class") or found is None or not is_there(context.universe, found):
        return None
    if found.kind == "unknown" and VARIABLE.match(name):
        return None
    elsewhere = base.symbol.kind == "module" and context.universe.tree_of(found.module) is None
    told = context.is_upstream(base.symbol.module if elsewhere else found.module)
    return f"{base.symbol.name}.{name}" if told else None
