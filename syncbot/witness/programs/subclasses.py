"""Classes of the backend that derive from upstream ones: whether objects of them can be made."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.subclasses import SubclassContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.program_text import looked_up, upstream_symbol
from syncbot.witness.programs.replacements import method_program
from syncbot.witness.registry import maker

_MADE = """\
import pkgutil

MEMBERS = {members}
bases = ({bases},)
kind = type(bases[0])("Mine", bases, dict.fromkeys(MEMBERS, lambda self: None))
object.__new__(kind)
"""
_DERIVED = """\
import pkgutil


class Mine({base}): ...
"""


@maker(SubclassContract)
def subclass_program(contract: SubclassContract, finding: Finding, pair: Comparison) -> Program:
    """An object of a class with the same upstream bases and the same members, without its constructor; a call
    of a method that upstream asks for without a base's declaration."""
    if finding.kind in (ChangeKind.CLASS_BECAME_FUNCTION, ChangeKind.TYPE_CHANGED):
        base = upstream_symbol(contract.symbol, pair)
        return Program(_DERIVED.format(base=looked_up(base)), ("TypeError",), (), (base.module,))
    if isinstance(finding.details, ParameterDetails):
        return method_program(contract.receiver, finding.details, finding, pair)
    if finding.kind is not ChangeKind.ABSTRACT_METHOD_ADDED:
        raise NotWitnessable("objects can be made; the method fails when upstream calls it")
    own = pair.new.resolve(contract.receiver)
    if own is None:
        raise NotWitnessable(f"{contract.receiver} cannot be followed")
    lineage = pair.new.lineage(own).classes
    upstream = _tops([c for c in lineage if pair.new_tree.owns(c.module)], pair)
    members = sorted({name for c in lineage if not pair.new_tree.owns(c.module) for name in _members(c)})
    text = _MADE.format(members=members, bases=", ".join(map(looked_up, upstream)))
    words = ("abstract", finding.details.subject)
    return Program(text, ("TypeError",), words, tuple(c.module for c in upstream))


def _tops(classes: list[Symbol], pair: Comparison) -> list[Symbol]:
    """The classes that no other one of them derives from."""
    below = {c.name for each in classes for c in pair.new.lineage(each).classes[1:]}
    return [c for c in classes if c.name not in below]


def _members(symbol: Symbol) -> set[str]:
    node = symbol.class_
    if node is None:
        return set()
    names = {function.name for function in node.functions}
    names |= {attribute.name for attribute in node.attributes if not attribute.origin}
    return names - {"__new__", "__slots__", "__annotations__"}
