"""Methods that a class of the backend inherits and that upstream leaves to subclasses from now on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, named_arguments, text
from syncbot.api.model import Attribute, Function
from syncbot.api.statement_parts import bound_names
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.derived_classes import derived_from
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """The method ``name`` of ``owner`` only raises NotImplementedError, and ``caller`` calls it, a module
    or a function."""

    name: str
    owner: Symbol
    caller: str
    ground: Ground


def left_open(old: Symbol, new: Symbol, pair: Comparison) -> Iterator[LeftOpen]:
    """Methods that the class inherits, that only raise NotImplementedError now, and that a changed module
    calls."""
    upstream = [c for c in pair.new.lineage(new).classes if pair.new.tree_of(c.module) is pair.new_tree]
    names = {
        f.name for c in upstream if c.class_ for f in c.class_.functions if f.unimplemented and not f.abstract
    }
    for name in sorted(names):
        before, after = pair.old.member(old, name), pair.new.member(new, name)
        if after is None or not after.functions or not all(_is_open(f) for f in after.functions):
            continue
        if before is not None and (before.attributes or any(map(_is_open, before.functions))):
            continue
        reached = next(_reached(name, new, pair), None)
        if reached is not None:
            yield LeftOpen(name, after.owner, f"{reached}(), which is called here,", Ground.LEFT_OPEN_CALLED)
            continue
        caller = next(_calling(name, pair), None) or _asks(name, pair)
        if caller is not None:
            yield LeftOpen(name, after.owner, caller, Ground.LEFT_OPEN)


def _calling(name: str, pair: Comparison) -> Iterator[str]:
    """The changed modules that call a method of that name, none of something that comes from elsewhere."""
    for module, call in pair.new_usage.calls(pair.changed, name):
        found = pair.new.local(module, call.callee.partition(".")[0])
        if found is None or found.kind != "unknown" or pair.new.tree_of(found.module) is not None:
            yield module


def _is_open(function: Function) -> bool:
    return function.unimplemented or function.abstract


def _asks(name: str, pair: Comparison) -> str | None:
    """The changed module that hands on the name of a method as a text, to have it called."""
    for module in pair.new_tree.mentioning(pair.changed, f'("{name}"', f"('{name}'"):
        pair.new_tree.note((module,))
        return module
    return None


def _reached(name: str, class_: Symbol, pair: Comparison) -> Iterator[str]:
    """The functions of upstream that the backend calls, outside its tests, and that call the method on an
    object, or a class, that is declared as one above the backend's."""
    kin = {c.name for c in pair.new.lineage(class_).classes}
    below = derived_from(class_, pair.own_tree, pair)
    if any(not _has_none(name, c, pair) for c in below):
        return
    for module, call in pair.new_usage.calls(pair.changed, name):
        function = pair.new.resolve(f"{module}.{call.scope}") if call.scope.isidentifier() else None
        if function is None or not function.functions or not _calls(function, pair):
            continue
        node = function_node(pair.new, module, function.functions[-1])
        declared = _declared(call.callee.rpartition(".")[0], node, module, pair) if node is not None else None
        if declared is not None and declared.name in kin:
            yield function.name


def _has_none(name: str, class_: Symbol, pair: Comparison) -> bool:
    member = pair.new.member(class_, name)
    return member is None or all(map(_is_open, member.functions))


def _calls(function: Symbol, pair: Comparison) -> bool:
    """Whether the backend calls a function of upstream, outside its tests."""
    modules = tuple(m for m in pair.own_tree.modules if m not in pair.tests)
    for module, call in pair.own_usage.calls_under_any_name(modules, function.qualname):
        found = pair.new.local(module, call.callee)
        if found is not None and found.name == function.name:
            return True
    return False


def _declared(receiver: str, node: FunctionNode, module: str, pair: Comparison) -> Symbol | None:
    """The class that a name in a function is declared with: as a parameter, or where it comes from."""
    if not receiver.isidentifier():
        return None
    for argument in named_arguments(node.args):
        if argument.arg == receiver:
            return pair.new.annotation_class(module, text(argument.annotation))
    written = _imported(receiver, node, module, pair.new_tree)
    found = pair.new.resolve(written) if written else pair.new.local(module, receiver)
    notes = [n.annotation for n in found.nodes if isinstance(n, Attribute)] if found is not None else []
    annotation = next(filter(None, notes), None)
    return pair.new.annotation_class(found.module, annotation) if found is not None and annotation else None


def _imported(name: str, node: FunctionNode, module: str, tree: ModuleTree) -> str:
    """Return what a function of a module imports under a name; empty where it imports nothing so."""
    package = module if tree.is_package(module) else module.rpartition(".")[0]
    statements = (n for n in every_node(node) if isinstance(n, ast.ImportFrom))
    found = (whole for each in statements for local, whole in bound_names(each, package) if local == name)
    return next(found, "")
