"""Upstream renamed an attribute or a method of a class."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Instances, Name
from syncbot.patching.class_rules import ClassRule, Receivers
from syncbot.patching.node_text import targets
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Edits, Source


@rule("attribute_renamed", answers=(ChangeKind.ATTRIBUTE_RENAMED, ChangeKind.METHOD_RENAMED))
class AttributeRenamed(ClassRule):
    """Use an attribute or method by its new name: overrides of it, and ``x.old`` where ``x`` is provable.

    Provable are ``self`` and ``super()`` in subclasses, the class itself, names and ``self`` attributes
    annotated with or made by calling the class, and the ``receivers`` that the patch vouches for.
    """

    old: Name
    new: Name
    receivers: Instances = ()

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that use the name."""
        return (self.old if forward else self.new,)

    def forward(self, source: Source) -> str:
        """Old name to new name."""
        family, edits = self.family(source), Edits()
        receivers = Receivers(source, family, self.receivers)
        for node in source.index.attributes:
            if node.attr.value == self.old and (receivers.proves(node.value) or family.is_owner(node.value)):
                edits.update(node.attr, value=self.new)
        for _, function in family.methods(self.old):
            edits.update(function.name, value=self.new)
        for statement in source.index.assignments:
            if family.owner(statement) is not None:
                for target in targets(statement):
                    if isinstance(target, cst.Name) and target.value == self.old:
                        edits.update(target, value=self.new)
        return source.rewritten(edits, f"nothing uses {self.base}.{self.old}")

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``attribute-renamed`` and ``method-renamed``."""
        match change.details:
            case MemberDetails(new=str(new)):
                base, _, old = change.symbol.rpartition(".")
                return cls(base=base, old=old, new=new)
        return None
