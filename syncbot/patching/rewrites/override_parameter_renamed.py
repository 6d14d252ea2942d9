"""Upstream renamed a parameter of a method that the backend overrides."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Name
from syncbot.patching.class_rules import ClassRule, is_super
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Edits, Source


@rule("override_parameter_renamed", answers=(ChangeKind.PARAMETER_RENAMED,))
class OverrideParameterRenamed(ClassRule):
    """Rename a parameter in every override, in its body and where it is handed to the base's method."""

    method: Name
    old: Name
    new: Name

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that define the method and use the name."""
        return (f"def {self.method}", self.old if forward else self.new)

    def forward(self, source: Source) -> str:
        """Rename old to new."""
        return self._rename(source, self.old, self.new)

    def backward(self, source: Source) -> str:
        """Rename new to old."""
        return self._rename(source, self.new, self.old)

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``parameter-renamed`` on an overridden method."""
        if change.kind not in cls.answers or change.contract != "override":
            return None
        match change.details:
            case ParameterDetails(parameter=new, old_name=str(old)):
                base, _, method = change.symbol.rpartition(".")
                return cls(base=base, method=method, old=old, new=new)
        return None

    def _rename(self, source: Source, old: str, new: str) -> str:
        edits = Edits()
        for _, function in self.family(source).methods(self.method):
            names = parameter_edits.parameter_names(function.params)
            if old not in names:
                continue
            parameters = (
                *function.params.posonly_params,
                *function.params.params,
                *function.params.kwonly_params,
            )
            parameter = next((p for p in parameters if p.name.value == old), None)
            if parameter is None:
                continue
            scope = source.scopes.get(parameter)
            if scope is not None and (new in names or source.local_assignments(scope, new)):
                raise CannotRewrite(
                    f"{source.path}: {self.method} already uses the name {new!r}; rename that one first"
                )
            edits.replace(parameter.name, cst.Name(new))
            if scope is not None:
                self._rename_uses(source, edits, source.local_assignments(scope, old), new)
            for call in source.index.calls:
                if function not in source.index.around[call] or not isinstance(call.func, cst.Attribute):
                    continue
                at = parameter_edits.keyword_index(call, old)
                if at is not None and call.func.attr.value == self.method and is_super(call.func.value):
                    name = call.args[at].keyword
                    assert name is not None
                    edits.replace(name, cst.Name(new))
        if not edits:
            raise NoMatch(f"{source.path}: no override of {self.base}.{self.method} with parameter {old!r}")
        return source.edited(edits)

    @staticmethod
    def _rename_uses(source: Source, edits: Edits, assignments: list[cst.Assignment], new: str) -> None:
        nodes: set[cst.CSTNode] = set()
        for assignment in assignments:
            nodes.add(assignment.node)
            nodes.update(access.node for access in assignment.references)
        for node in nodes:
            if isinstance(node, cst.Name):
                edits.replace(node, node.with_changes(value=new))
