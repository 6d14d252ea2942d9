"""Upstream returns a tuple of another shape from something that the backend calls."""

from __future__ import annotations

from pydantic import Field

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.call_rules import CallRule
from syncbot.patching.registry import rule
from syncbot.patching.source import Edits, Source
from syncbot.patching.tuple_shapes import Shape, checked_shapes, reshaped


@rule("result_reshaped")
class ResultReshaped(CallRule):
    """Unpack the new shape: ``a, b = f()`` becomes ``a, b, _ = f()``, and the other way round.

    What is new is taken as ``_``; what is gone has to have been taken as ``_``. Only results that are
    unpacked where the call stands.
    """

    old: Shape = Field(description="a word for each element before the change", examples=[["q", "k"]])
    new: Shape = Field(description="the same after it; what keeps its word stays", examples=[["q", "k", "v"]])

    _shapes = checked_shapes()

    def forward(self, source: Source) -> str:
        """Old shape to new shape."""
        edits = Edits()
        refusal = f"{source.path}: a name is given to {{}}, which upstream no longer returns"
        calls = set(self.calls(source))
        for statement in source.index.assignments:
            if not isinstance(statement, cst.Assign) or _called(statement.value) not in calls:
                continue
            for target in statement.targets:
                unpacked = target.target
                if isinstance(unpacked, (cst.Tuple, cst.List)) and _fits(unpacked, self.old):
                    elements = reshaped(unpacked, self.old, self.new, "_", refusal)
                    edits.update(unpacked, elements=elements)
        return source.rewritten(edits, f"no call of {self.callee} to change")


def _called(value: cst.BaseExpression | None) -> cst.CSTNode | None:
    return value.expression if isinstance(value, cst.Await) else value


def _fits(unpacked: cst.Tuple | cst.List, shape: Shape) -> bool:
    plain = all(isinstance(element, cst.Element) for element in unpacked.elements)
    return plain and len(unpacked.elements) == len(shape)
