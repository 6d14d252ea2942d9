"""Of what class upstream's method declares a parameter: one of its own, or one of another package."""

from __future__ import annotations

import builtins
from dataclasses import dataclass

from syncbot.api.annotated_classes import named_class
from syncbot.api.methods import definition
from syncbot.api.symbols import Member, Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe


@dataclass(frozen=True, slots=True)
class DeclaredParameter:
    """The class of upstream that a parameter is declared with; or the name in its annotation that leads to
    none, as an absolute one where it is imported from ``outside``."""

    class_: Symbol | None
    name: str
    outside: bool


def declared_parameters(member: Member, universe: Universe) -> dict[str, DeclaredParameter]:
    """Return what a method's parameters but the first are declared with, by name; those that no single name
    declares, or one of Python's own, are left out."""
    found: dict[str, DeclaredParameter] = {}
    module = member.owner.module
    for parameter in definition(member.functions).parameters[1:]:
        written = named_class(parameter.annotation) if parameter.annotation else None
        if written is None:
            continue
        class_ = universe.annotation_class(module, parameter.annotation)
        if class_ is not None:
            found[parameter.name] = DeclaredParameter(class_, class_.name, False)
            continue
        known = universe.local(module, written)
        outside = universe.external_name(module, written) if "." in written or known is not None else ""
        if "." in outside and universe.tree_of(outside) is None:
            found[parameter.name] = DeclaredParameter(None, outside, True)
        elif known is None and written.isidentifier() and not hasattr(builtins, written):
            found[parameter.name] = DeclaredParameter(None, written, False)
    return found


def holder(name: str, base: str, tree: ModuleTree, universe: Universe) -> Symbol | None:
    """A class of a tree that gives its objects an attribute and derives from a class of another package; its
    module is noted as one that the answer depends on."""
    texts = (f"self.{name} =", f"self.{name}:", f"def {name}(", f"    {name}:", f"    {name} =")
    for module in tree.mentioning(tree.modules, *texts):
        table = tree.table(module)
        for class_ in table.classes if table is not None else ():
            symbol = universe.resolve(f"{module}.{class_.name}")
            if symbol is None or symbol.kind != "class" or base not in universe.lineage(symbol).external:
                continue
            if universe.defined(symbol, name):
                tree.note((module,))
                return symbol
    return None
