"""Attributes that an override asks of its parameters, as objects of the classes that upstream's method
declares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, named_arguments, string
from syncbot.api.instance_attributes import REGISTERING
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import lacking
from syncbot.contracts.attributes.doubts import in_subclasses, is_sure_to_lack, put_there
from syncbot.contracts.attributes.torch_modules import TORCH_MODULE, torch_module_has
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.declared_parameters import (
    DeclaredParameter,
    declared_parameters,
    holder,
)
from syncbot.contracts.overrides.upstream_members import inherited_member, upstream_member
from syncbot.contracts.registry import finder, judge

_OF_TYPES = {"isinstance", "type", "callable", "issubclass"}
_OF_ATTRIBUTES = {"hasattr", "getattr"}


def told_apart(function: FunctionNode) -> frozenset[str]:
    """The names of whose values a function tells the types apart."""
    return frozenset(name for name, _ in _questions(function, _OF_TYPES))


def behind_questions(function: FunctionNode) -> frozenset[ast.AST]:
    """The reads of attributes in a function that it has asked for, somewhere, and those in branches that such
    a question decides, also by a name that keeps the answer."""
    asked = {(name, attribute) for name, attribute in _questions(function, _OF_ATTRIBUTES)}
    if not asked:
        return frozenset()
    answers = {
        target.id
        for node in every_node(function)
        if isinstance(node, ast.Assign) and any(_questions(node.value, _OF_ATTRIBUTES))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    decided = (
        n for n in every_node(function) if isinstance(n, ast.If | ast.IfExp) and _asks(n.test, answers)
    )
    within = {inner for node in decided for inner in every_node(node) if isinstance(inner, ast.Attribute)}
    reads = (n for n in every_node(function) if isinstance(n, ast.Attribute))
    return frozenset(
        read
        for read in reads
        if read in within or (isinstance(read.value, ast.Name) and (read.value.id, read.attr) in asked)
    )


def _asks(test: ast.expr, answers: set[str]) -> bool:
    kept = (isinstance(n, ast.Name) and n.id in answers for n in every_node(test))
    return any(kept) or any(_questions(test, {"hasattr"}))


def _questions(node: ast.AST, functions: set[str]) -> Iterator[tuple[str, str | None]]:
    """The names that some functions are asked about below a node, each with the attribute in question."""
    for inner in every_node(node):
        match inner:
            case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=name), *rest]) if called in functions:
                yield name, string(rest[0]) if rest else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverriddenParameterContract(Contract):
    """The method ``name`` of the backend's class ``receiver`` reads ``asked`` of its ``parameter``, which the
    upstream method that it overrides, ``symbol``, declares as an object of a class; ``annotated`` is the
    class of upstream that it is annotated with here, where upstream's annotation names none of its own."""

    receiver: str
    name: str
    parameter: str
    asked: str
    upstream: tuple[str, ...]
    annotated: str = ""
    told_beside: ClassVar[bool] = True


@finder(ast.FunctionDef, ast.AsyncFunctionDef)
def find_asked_parameters(node: FunctionNode, context: Context) -> Iterator[OverriddenParameterContract]:
    """The attributes that a method reads of parameters of which only upstream says, or says too, what they
    are."""
    own = context.own_class()
    if own is None or first_upstream(own, context.universe, context.upstream) is None:
        return
    base = upstream_member(own, node.name, context.universe, context.upstream)
    if base is None or not base.functions:
        return
    declared = declared_parameters(base, context.universe)
    ours = {a.arg: _annotated(a, context) for a in named_arguments(node.args)}
    for read in _reads(node, {n for n, d in declared.items() if _is_open(n, ours, d, context.universe)}):
        name = read.value.id if isinstance(read.value, ast.Name) else ""
        annotated = ours[name] if declared[name].class_ is None else None
        known = declared[name].class_ or (annotated if isinstance(annotated, Symbol) else None)
        if known is None or context.universe.member(known, read.attr) is not None:
            yield OverriddenParameterContract(
                symbol=base.symbol, receiver=own.name, name=node.name, parameter=name, asked=read.attr,
                upstream=context.upstream, place=context.place(read),
                annotated=annotated.name if isinstance(annotated, Symbol) else "",
            )  # fmt: skip


def _reads(function: FunctionNode, open_: set[str]) -> Iterator[ast.Attribute]:
    """The first read of each attribute of those parameters that stand for nothing else in a function, and
    that it does not ask what they are, or have."""
    wanted = open_ - told_apart(function) - _bound(function) if open_ else open_
    tested = behind_questions(function) if wanted else frozenset()
    seen: set[tuple[str, str]] = set()
    for node in every_node(function) if wanted else ():
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=asked, ctx=ast.Load()) if name in wanted:
                if (name, asked) not in seen and node not in tested:
                    seen.add((name, asked))
                    yield node


def _annotated(parameter: ast.arg, context: Context) -> Symbol | str | None:
    """The class of upstream that a parameter is annotated with, or the absolute name of another one."""
    if parameter.annotation is None:
        return None
    written = ast.unparse(parameter.annotation)
    class_ = context.universe.annotation_class(context.file.module, written)
    if class_ is not None and context.is_upstream(class_.module):
        return class_
    return context.universe.external_name(context.file.module, written) if class_ is None else class_.name


def _is_open(
    name: str, annotated: Mapping[str, Symbol | str | None], declared: DeclaredParameter, universe: Universe
) -> bool:
    """Whether a parameter is there, and annotated with nothing, as upstream's is, with a class of another
    package from which upstream's derives, or with a class of upstream in the place of what names none."""
    if name not in annotated:
        return False
    ours = annotated[name]
    if isinstance(ours, Symbol):
        return declared.class_ is None or ours.name == declared.name
    outside = universe.lineage(declared.class_).external if declared.class_ is not None else ()
    return ours is None or ours in outside or (declared.outside and ours == declared.name)


def _bound(node: FunctionNode) -> set[str]:
    """The names that a function gives another value, or that a function in it has for its own."""
    inner = (n for n in every_node(node) if isinstance(n, FunctionNode | ast.Lambda) and n is not node)
    names = {argument.arg for one in inner for argument in named_arguments(one.args)}
    return names | {
        n.id for n in every_node(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


@judge(OverriddenParameterContract)
def judge_asked_parameter(contract: OverriddenParameterContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream's method is handed an object of another class now, which has no such attribute."""
    known = inherited_member(contract.receiver, contract.name, contract.upstream, pair)
    if known is None or known.after is None or not known.before.functions or not known.after.functions:
        return
    before, after = known.before, known.after
    now = declared_parameters(after, pair.new).get(contract.parameter)
    declared = declared_parameters(before, pair.old).get(contract.parameter)
    if now is None or now.class_ is None or declared is None or declared.name == now.name:
        return
    was = _class_before(contract, declared, pair)
    if was is None or was.name == now.name or pair.old.member(was, contract.asked) is None:
        return
    # Of a class that bears another name now, or derives from the new one, its own attributes are told.
    kept = pair.now(was.name)
    kin = {c.name for c in pair.new.lineage(kept).classes} if kept is not None else set()
    if now.name in kin or (kept is None and pair.successors.of(was) == now.class_):
        return
    if not _lacks(contract.asked, was, now.class_, pair):
        return
    given = f"an object of {was.name}" if not declared.outside else f"any object of {declared.name}"
    reason = (
        f"{after.symbol}() was given {given} as {contract.parameter} and is given one of "
        f"{now.name} now, which {lacking(contract.asked)}"
    )
    yield Finding(
        contract, ChangeKind.PARAMETER_TYPE_CHANGED, after.symbol, Ground.PASSED_OF_OTHER_TYPE, reason,
        subject=f"{contract.parameter}.{contract.asked}",
    )  # fmt: skip


def _class_before(
    contract: OverriddenParameterContract, declared: DeclaredParameter, pair: Comparison
) -> Symbol | None:
    """The class of upstream whose objects were passed: the declared one, the one that the backend says, the
    only one of that name, or one that has the attribute and is of the class that another package defines."""
    if declared.class_ is not None:
        return declared.class_
    if contract.annotated:
        return pair.old.resolve(contract.annotated)
    if declared.outside:
        return holder(contract.asked, declared.name, pair.old_tree, pair.old)
    # Where linters are told that it is not imported.
    return pair.old.only_class(pair.old_tree, declared.name)


def _lacks(name: str, was: Symbol, now: Symbol, pair: Comparison) -> bool:
    """Whether objects of a class lack an attribute that those of another one have, which is of upstream."""
    if pair.new.member(now, name) is not None or name in object.__dict__:
        return False
    if not pair.new.is_open(now):
        return True
    if TORCH_MODULE in pair.new.lineage(now).external and torch_module_has(name):
        return False
    if put_there(name, now, pair) or in_subclasses(name, now, pair) is not None:
        return False
    return is_sure_to_lack(name, was, now, pair) and not _is_set_here(name, pair)


def _is_set_here(name: str, pair: Comparison) -> bool:
    """Whether the backend sets an attribute of that name on what is not seen to be an object of its own."""
    texts = (f".{name} =", f".{name}: ", f"'{name}'", f'"{name}"')
    modules = pair.own_tree.mentioning(pair.own_tree.modules, *texts)
    setting = re.compile(
        rf"(?<!\bself)\.{re.escape(name)}\s*(?::[^=\n]+)?=(?!=)|(?:setattr|{'|'.join(REGISTERING)})\([^()\n]*['\"]{re.escape(name)}['\"]".encode()
    )
    found = [m for m in modules if m not in pair.tests and setting.search(pair.own_tree.source(m) or b"")]
    pair.own_tree.note(found)
    return bool(found)
