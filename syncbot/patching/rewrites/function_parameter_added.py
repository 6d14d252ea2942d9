"""Upstream passes a parameter to a function of the backend that stands in for one of its own."""

from __future__ import annotations

from pydantic import Field

from syncbot.contracts.changes import ParameterKind
from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Dotted, Expression, Name
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import Mirror, rule
from syncbot.patching.source import Edits, Source
from syncbot.patching.statement_rules import FileRule


@rule(
    "function_parameter_added",
    mirror=Mirror(
        "function_parameter_removed",
        reason="Upstream no longer passes a parameter to a function of the backend that stands in for one "
        "of its own.",
        does="Stop accepting a parameter in one named function or method; backward adds it again.",
    ),
)
class FunctionParameterAdded(FileRule):
    """Accept a parameter in one named function or method: a replacement of an upstream function, or an
    override whose base the file does not show. Backward takes it away, if nothing uses it."""

    function: Dotted = Field(description="the function, or Class.method", examples=["Worker.execute"])
    parameter: Name
    default: Expression | None = Field(default=None, description="source text; null for a required parameter")
    annotation: Expression | None = Field(
        default=None, description="source text; only names the file can resolve"
    )
    after: Name | None = Field(
        default=None, description="the parameter before it; null: the last of its kind"
    )
    kind: ParameterKind = ParameterKind.ANY

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that define the function."""
        needle = f"def {self.function.rpartition('.')[2]}"
        return (needle,) if forward else (needle, self.parameter)

    def forward(self, source: Source) -> str:
        """Add the parameter."""
        edits = Edits()
        for function in self._functions(source):
            names = parameter_edits.parameter_names(function.params)
            if self.parameter in names or self._taken_by_stars(source, function):
                continue
            if source.local_assignments(function, self.parameter):
                # A parameter of that name would not reach the uses of the body's own.
                raise CannotRewrite(
                    f"{source.path}: {self.function} already binds the name {self.parameter!r}"
                )
            edits.change(function, self._extended)
        return self._finish(source, edits)

    def backward(self, source: Source) -> str:
        """Take the parameter away. Raises CannotRewrite where the function uses it."""
        edits = Edits()
        for function in self._functions(source):
            if self.parameter not in parameter_edits.parameter_names(function.params):
                continue
            bound = source.local_assignments(function, self.parameter)
            if len(bound) > 1 or any(assignment.references for assignment in bound):
                raise CannotRewrite(f"{source.path}: {self.function} uses {self.parameter!r}")
            edits.change(function, lambda f: parameter_edits.without_parameter(f, self.parameter))
        return self._finish(source, edits)

    def _functions(self, source: Source) -> list[cst.FunctionDef]:
        return [
            function
            for function in source.index.functions
            if ".".join(d.name.value for d in (*source.index.around[function], function)) == self.function
        ]

    def _finish(self, source: Source, edits: Edits) -> str:
        return source.rewritten(edits, f"{self.function} is not there or needs no change")

    def _extended(self, function: cst.FunctionDef) -> cst.FunctionDef:
        new = parameter_edits.parameter(self.parameter, self.default, self.annotation)
        return parameter_edits.with_parameter(function, new, self.kind, self.after)

    def _taken_by_stars(self, source: Source, function: cst.FunctionDef) -> bool:
        """Whether a starred parameter is enough: it is not where the body reads the name, which nothing else
        in the module binds."""
        if not parameter_edits.takes_anything(function.params, self.kind):
            return False
        scope = source.scopes.get(function.body)
        read = scope is not None and any(
            isinstance(access.node, cst.Name) and access.node.value == self.parameter
            for access in scope.accesses
        )
        return not read or bool(scope is not None and scope[self.parameter])
