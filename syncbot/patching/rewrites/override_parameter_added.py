"""Upstream added a parameter to a method that the backend overrides."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from syncbot.contracts.changes import ChangeKind, ParameterDetails, ParameterKind
from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Expression, Name
from syncbot.patching.class_rules import Family, MethodRule, first_parameter, is_super, method_calls
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.node_text import code, dotted
from syncbot.patching.registry import ApiChange, Mirror, Rule, rule
from syncbot.patching.source import Edits, Source


@rule(
    "override_parameter_added",
    answers=(ChangeKind.PARAMETER_ADDED, ChangeKind.PARAMETER_REQUIRED, ChangeKind.PARAMETER_PASSED),
    mirror=Mirror(
        "override_parameter_removed",
        reason="Upstream removed a parameter from a method that the backend overrides.",
        does="Stop accepting a parameter that upstream's callers no longer pass to an overridden method.\n\n"
        "Forward takes it from every override and from the calls of the base's method; backward adds it.",
        answers=(ChangeKind.PARAMETER_REMOVED,),
    ),
)
class OverrideParameterAdded(MethodRule):
    """Accept a parameter that upstream's callers now pass to an overridden method.

    Forward adds it to every override and, with ``pass_to_super``, hands it to the base's method. Backward
    takes both away; an override that uses the parameter gets its default as a local name instead.
    """

    parameter: Name
    default: Expression | None = Field(default=None, description="source text; null for a required parameter")
    annotation: Expression | None = Field(
        default=None, description="source text; only names the backend can resolve"
    )
    after: Name | None = Field(
        default=None, description="the parameter before it, 'self' for the first; null: the last of its kind"
    )
    kind: ParameterKind = ParameterKind.ANY
    pass_to_super: bool = Field(default=False, description="whether calls of super().method hand it on")

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Backward needs the parameter's name, too."""
        wanted = super().needles(forward)
        return wanted if forward else (*wanted, self.parameter)

    def forward(self, source: Source) -> str:
        """Add the parameter."""
        family, edits = self.family(source), Edits()
        for _, function in family.methods(self.method):
            known = self.parameter in parameter_edits.parameter_names(function.params)
            if known or parameter_edits.takes_anything(function.params, self.kind):
                continue
            stand_in = self._stand_in(function)
            if stand_in is not None:
                edits.replace(stand_in, cst.RemoveFromParent())
            if self.pass_to_super:
                for call in self._super_calls(source, family, function):
                    if parameter_edits.keyword_index(call, self.parameter) is None:
                        edits.change(call, lambda c: parameter_edits.with_argument(c, self._argument()))
            edits.change(function, self._extended)
        return self.finished(source, edits, "to change")

    def backward(self, source: Source) -> str:
        """Take the parameter away."""
        family, edits = self.family(source), Edits()
        for _, function in family.methods(self.method):
            known = self.parameter in parameter_edits.parameter_names(function.params)
            if not known or first_parameter(function) == self.parameter:
                continue
            handed_on = self._handed_on(source, family, function)
            for call, at in handed_on:
                edits.change(call, partial(parameter_edits.without_argument, at=at))
            edits.change(function, lambda f: parameter_edits.without_parameter(f, self.parameter))
            if self._uses(source, function) > len(handed_on):
                self._add_stand_in(source, function, edits)
        return self.finished(source, edits, "to change")

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers a parameter that an overridden method gained or lost."""
        if change.contract != "override":
            return None
        match change.details:
            # Upstream's own takes it among its keywords: what it is where nobody passes it is not known.
            case ParameterDetails(default=None) if change.kind is ChangeKind.PARAMETER_PASSED:
                return None
            case ParameterDetails(parameter=parameter, default=default, kind=kind, after=after):
                # Signatures are bound: before the first parameter stands the instance alone.
                first = after in (None, *parameter_edits.RECEIVERS)
                base, _, method = change.symbol.rpartition(".")
                return cls(
                    base=base, classes=change.classes, method=method, parameter=parameter, default=default,
                    after=parameter_edits.RECEIVERS[0] if first else after, kind=kind,
                )  # fmt: skip
        return None

    def _extended(self, function: cst.FunctionDef) -> cst.FunctionDef:
        new = parameter_edits.parameter(self.parameter, self.default, self.annotation)
        return parameter_edits.with_parameter(function, new, self.kind, self.after)

    def _argument(self) -> cst.Arg:
        if self.kind is ParameterKind.POSITIONAL:
            return cst.Arg(cst.Name(self.parameter))
        return parameter_edits.keyword(self.parameter, cst.Name(self.parameter))

    def _super_calls(self, source: Source, family: Family, function: cst.FunctionDef) -> list[cst.Call]:
        """The calls of the base's method within the override: ``super().m(…)`` and ``Base.m(self, …)``."""
        calls = method_calls(source, function, self.method)
        return [call for call, receiver in calls if is_super(receiver) or family.is_owner(receiver)]

    def _handed_on(
        self, source: Source, family: Family, function: cst.FunctionDef
    ) -> list[tuple[cst.Call, int]]:
        found = []
        for call in self._super_calls(source, family, function):
            for at, argument in enumerate(call.args):
                by_name = argument.keyword is not None and argument.keyword.value == self.parameter
                by_place = argument.keyword is None and not argument.star
                if by_name or (by_place and dotted(argument.value) == self.parameter):
                    found.append((call, at))
        return found

    def _uses(self, source: Source, function: cst.FunctionDef) -> int:
        """How often the body reads the parameter."""
        from syncbot.patching import tree_walk

        if tree_walk.mentions(function, self.parameter) == 1:
            return 0  # the parameter alone: scopes are dear
        found = source.local_assignments(function, self.parameter)
        return len({access.node for assignment in found for access in assignment.references})

    def _add_stand_in(self, source: Source, function: cst.FunctionDef, edits: Edits) -> None:
        if self.default is None:
            raise CannotRewrite(
                f"{source.path}: {self.method} uses {self.parameter!r}, which has no default to fall back "
                "on where upstream does not pass it; give the patch a default or write the edit by hand"
            )
        if not isinstance(function.body, cst.IndentedBlock):
            raise CannotRewrite(
                f"{source.path}: {self.method} is a one-liner that uses {self.parameter!r}; "
                "give it a body of its own"
            )
        statement = cst.parse_statement(f"{self.parameter} = {self.default}\n")
        at = 1 if function.get_docstring() is not None else 0
        edits.change(function.body, lambda b: b.with_changes(body=[*b.body[:at], statement, *b.body[at:]]))

    def _stand_in(self, function: cst.FunctionDef) -> cst.CSTNode | None:
        """The statement that a backward rewrite left in the parameter's place."""
        if not isinstance(function.body, cst.IndentedBlock) or self.default is None:
            return None
        at = 1 if function.get_docstring() is not None else 0
        wanted = f"{self.parameter} = {self.default}"
        return next((s for s in function.body.body[at : at + 1] if code(s).strip() == wanted), None)
