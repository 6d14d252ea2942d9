"""Upstream renamed a parameter of a method that the backend overrides."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Name
from syncbot.patching.class_rules import MethodRule, is_super, method_calls
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Edits, Source


@rule("override_parameter_renamed", answers=(ChangeKind.PARAMETER_RENAMED,))
class OverrideParameterRenamed(MethodRule):
    """Rename a parameter in every override, in its body and where it is handed to the base's method."""

    old: Name
    new: Name

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that define the method and use the name."""
        return (*super().needles(forward), self.old if forward else self.new)

    def forward(self, source: Source) -> str:
        """Rename old to new."""
        edits = Edits()
        for function in self.overrides(source):
            parameter = parameter_edits.named(function, self.old)
            if parameter is None:
                continue
            names = parameter_edits.parameter_names(function.params)
            if self.new in names or source.local_assignments(function, self.new):
                raise CannotRewrite(
                    f"{source.path}: {self.method} already uses the name {self.new!r}; rename that one first"
                )
            for name in (parameter.name, *_uses(source, function, self.old)):
                edits.update(name, value=self.new)
            for call, receiver in method_calls(source, function, self.method):
                for argument in call.args if is_super(receiver) else ():
                    if argument.keyword is not None and argument.keyword.value == self.old:
                        edits.update(argument.keyword, value=self.new)
        return self.finished(source, edits, f"with parameter {self.old!r}")

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``parameter-renamed`` on an overridden method."""
        match change.details:
            case ParameterDetails(parameter=new, old_name=str(old)) if change.contract == "override":
                base, _, method = change.symbol.rpartition(".")
                return cls(base=base, classes=change.classes, method=method, old=old, new=new)
        return None


def _uses(source: Source, function: cst.FunctionDef, name: str) -> Iterator[cst.Name]:
    """The names in a function that bind or read a name of its own."""
    for assignment in source.local_assignments(function, name):
        for node in (assignment.node, *(access.node for access in assignment.references)):
            if isinstance(node, cst.Name):
                yield node
