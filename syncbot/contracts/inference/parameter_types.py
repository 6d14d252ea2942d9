"""Types of parameters that the backend leaves out: of what it overrides, or of a hook that it implements."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence

from syncbot.api.expressions import FunctionNode, dotted, expression, named_arguments, string
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.declared_types import Declared

# How the specification of a hook is marked, and an implementation of one (pluggy).
_SPECIFYING = ("hookspec", "hook_spec")
_IMPLEMENTING = ("hookimpl", "hook_impl")

#: A function with the module that it stands in.
Placed = tuple[str, Function]


def overridden(
    name: str, own: Symbol | None, universe: Universe, is_upstream: Callable[[str], bool]
) -> Placed | None:
    """The upstream method that a method of a class of the backend overrides."""
    classes = universe.lineage(own).classes if own is not None else ()
    if own is None or not any(is_upstream(c.module) for c in classes[1:]):
        return None
    for index in range(1, len(classes)):
        member = universe.member(own, name, index)
        if member is None:
            return None
        if member.functions and is_upstream(member.owner.module):
            return member.owner.module, member.functions[-1]
    return None


def may_implement(node: FunctionNode, alone: bool) -> bool:
    """Whether a function may implement a hook: it is marked so, or stands ``alone``, without decorators."""
    return is_marked(node) or (alone and not node.decorator_list)


def is_marked(node: FunctionNode) -> bool:
    """Whether a function is marked as an implementation of a hook."""
    return any(_last(decorator).endswith(_IMPLEMENTING) for decorator in node.decorator_list)


def inherited_types(
    node: FunctionNode, placed: Placed | None, module: str, universe: Universe
) -> Mapping[str, Declared]:
    """The types of parameters that the annotations of ``module`` do not tell, by name, from those of another
    function: there is none, ``Any``, one that names nothing, or a class from outside that upstream's derives
    from, as ``layer: torch.nn.Module`` in the place of ``layer: Linear``."""
    if placed is None:
        return {}
    home, function = placed
    own = {a.arg: a.annotation for a in named_arguments(node.args)}
    types = ((p.name, expression(p.annotation)) for p in function.parameters if p.annotation)
    return {
        name: Declared(home, type_)
        for name, type_ in types
        if name in own
        and type_ is not None
        and (own[name] is None or _is_wider(_name(own[name]), module, _name(type_), home, universe))
    }


def may_leave_open(node: FunctionNode) -> bool:
    """Whether a parameter has no annotation, or one that is a plain name."""
    return any(a.annotation is None or _name(a.annotation) for a in named_arguments(node.args))


def _is_wider(own: str, module: str, theirs: str, home: str, universe: Universe) -> bool:
    """Whether a name in a module is for anything, leads nowhere, or to what upstream's class derives from."""
    if _is_anything(own):
        return True
    if not own or not theirs or hasattr(builtins, own.partition(".")[0]):
        return False
    class_ = universe.local(home, theirs)
    if class_ is None or class_.kind != "class":
        return False
    found = universe.local(module, own)
    if found is None:
        return "." not in own
    outside = found.kind == "unknown" and universe.tree_of(found.module) is None
    return outside and universe.external_name(module, own) in universe.lineage(class_).external


def says_nothing(annotation: ast.expr | None) -> bool:
    """Whether a parameter may be anything, as far as it is annotated."""
    return annotation is None or _is_anything(_name(annotation))


def _is_anything(name: str) -> bool:
    return name.rpartition(".")[2] == "Any"


def _name(annotation: ast.expr | None) -> str:
    """The dotted name that an annotation is, also in quotes; empty for anything else."""
    text = string(annotation) if annotation is not None else None
    node = expression(text) if text is not None else annotation
    return (dotted(node) or "") if node is not None else ""


def hook_specifications(universe: Universe, upstream: Sequence[str]) -> dict[str, Placed]:
    """The functions of upstream that specify hooks, by name."""
    found: dict[str, Placed] = {}
    for tree in universe.trees:
        if not any(tree.owns(package) for package in upstream):
            continue
        for module in tree.mentioning(tree.modules, *_SPECIFYING):
            table = tree.table(module)
            functions = list(table.functions) if table is not None else []
            functions += [f for c in (table.classes if table is not None else ()) for f in c.functions]
            for function in functions:
                if any(d.partition("(")[0].endswith(_SPECIFYING) for d in function.decorators):
                    found[function.name] = (module, function)
    return found


def _last(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (dotted(called) or "").rpartition(".")[2]
