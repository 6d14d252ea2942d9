"""Upstream turned a property or attribute into a method without arguments."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Instances, Name
from syncbot.patching.class_rules import ClassRule, Receivers
from syncbot.patching.node_text import dotted
from syncbot.patching.registry import ApiChange, Mirror, Rule, rule
from syncbot.patching.source import Edits, Source


@rule(
    "property_to_method",
    answers=(ChangeKind.ATTRIBUTE_BECAME_METHOD,),
    mirror=Mirror(
        "method_to_property",
        reason="Upstream turned a method without arguments into a property or attribute.",
        does="Read what was called: ``x.size()`` becomes ``x.size``, overrides gain ``@property``.",
        answers=(ChangeKind.METHOD_BECAME_ATTRIBUTE,),
    ),
)
class PropertyToMethod(ClassRule):
    """Call what was read: ``x.size`` becomes ``x.size()``, overrides lose ``@property``.

    Only where ``x`` is provable (see ``attribute_renamed``); assignments to the attribute are left alone.
    """

    attribute: Name
    receivers: Instances = ()

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that use the name."""
        return (self.attribute,)

    def forward(self, source: Source) -> str:
        """Property to method."""
        edits = Edits()
        for node in self._reads(source):
            if node not in source.index.called:
                edits.change(node, lambda n: cst.Call(n))
        for _, function in self.family(source).methods(self.attribute):
            for decorator in function.decorators:
                if dotted(decorator.decorator) == "property":
                    edits.replace(decorator, cst.RemoveFromParent())
        return self._finish(source, edits)

    def backward(self, source: Source) -> str:
        """Method to property."""
        edits = Edits()
        reads = set(self._reads(source))
        for call in source.index.calls:
            if call.func in reads and not call.args:
                edits.change(call, lambda c: c.func)
        for _, function in self.family(source).methods(self.attribute):
            if not any(dotted(d.decorator) == "property" for d in function.decorators):
                edits.change(function, _as_property)
        return self._finish(source, edits)

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``attribute-became-method``, its mirror the opposite."""
        base, _, attribute = change.symbol.rpartition(".")
        return cls(base=base, attribute=attribute)

    def _reads(self, source: Source) -> list[cst.Attribute]:
        receivers = Receivers(source, self.family(source), self.receivers)
        return [
            node
            for node in source.index.attributes
            if node.attr.value == self.attribute
            and node not in source.index.stored
            and receivers.proves(node.value)
        ]

    def _finish(self, source: Source, edits: Edits) -> str:
        return source.rewritten(edits, f"nothing uses {self.base}.{self.attribute} in that form")


def _as_property(function: cst.FunctionDef) -> cst.FunctionDef:
    return function.with_changes(decorators=[cst.Decorator(cst.Name("property")), *function.decorators])
