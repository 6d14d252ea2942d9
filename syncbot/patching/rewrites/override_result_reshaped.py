"""Upstream expects a tuple of another shape from a method that the backend overrides."""

from __future__ import annotations

from pydantic import Field

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Expression
from syncbot.patching.class_rules import MethodRule
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import rule
from syncbot.patching.source import Edits, Source
from syncbot.patching.tuple_shapes import Shape, checked_shapes, reshaped


@rule("override_result_reshaped")
class OverrideResultReshaped(MethodRule):
    """Return the new shape from overrides: ``return a, b`` becomes ``return a, b, None``.

    All returns of an override have to be tuples of the old shape that stand there as such.
    """

    old: Shape = Field(description="a word for each element before the change", examples=[["q", "k"]])
    new: Shape = Field(description="the same after it; what keeps its word stays", examples=[["q", "k", "v"]])
    value: Expression = Field(default="None", description="what is returned for what only one of them has")

    _shapes = checked_shapes()

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that define the method."""
        return (*super().needles(forward), "return")

    def forward(self, source: Source) -> str:
        """Old shape to new shape."""
        from syncbot.patching import tree_walk

        old, new, edits = self.old, self.new, Edits()
        refusal = f"{source.path}: {self.method} returns {{}}, which upstream no longer takes"
        for function in self.overrides(source):
            within = (node for node, inner in tree_walk.nodes(function.body) if not inner)
            returned = [node.value for node in within if isinstance(node, cst.Return)]
            tuples = [value for value in returned if isinstance(value, cst.Tuple)]
            plain = len(tuples) == len(returned)
            if plain and all(len(t.elements) == len(new) for t in tuples):
                continue
            if not plain or any(len(t.elements) != len(old) for t in tuples):
                raise CannotRewrite(
                    f"{source.path}: {self.method} returns something else than {len(old)} elements"
                )
            for found in tuples:
                edits.update(found, elements=reshaped(found, old, new, self.value, refusal))
        return self.finished(source, edits, f"returns {len(old)} elements")
