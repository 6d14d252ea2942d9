"""Upstream moved an attribute to another object, or turned it into a call."""

from __future__ import annotations

import ast

from pydantic import Field, field_validator

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Instances, expression
from syncbot.patching.class_rules import ClassRule, Receivers
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.node_text import same_code
from syncbot.patching.registry import rule
from syncbot.patching.source import Edits, Source


@rule("attribute_replaced")
class AttributeReplaced(ClassRule):
    """Read something else of an object: ``x.size`` becomes ``x.spec.size`` or ``x.get_size()``.

    Only where ``x`` is provable (see ``attribute_renamed``). What is assigned to has to stay one.
    """

    before: str = Field(description="what stood behind the dot", examples=["size"])
    after: str = Field(description="what stands there now", examples=["spec.size", "get_size()"])
    receivers: Instances = ()

    @field_validator("before", "after")
    @classmethod
    def _is_a_chain(cls, value: str) -> str:
        node = expression(f"x.{value}", f"{value!r} cannot stand behind a dot")
        text = ast.unparse(node)
        while isinstance(node, (ast.Attribute, ast.Call)):
            node = node.value if isinstance(node, ast.Attribute) else node.func
        if not isinstance(node, ast.Name):
            raise ValueError(f"{value!r} is no chain of attributes and calls")
        return text.removeprefix("x.")

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that use the first name of it."""
        return (_first(self.before if forward else self.after),)

    def forward(self, source: Source) -> str:
        """Before to after."""
        old, new, edits = self.before, self.after, Edits()
        receivers = Receivers(source, self.family(source), self.receivers)
        whole: list[cst.BaseExpression] = [*source.index.calls, *source.index.attributes]
        for node in whole:
            receiver = _receiver(node, _first(old))
            if receiver is None or not receivers.proves(receiver) or not same_code(node, old, receiver):
                continue
            if node in source.index.stored and new.endswith(")"):
                raise CannotRewrite(f"{source.path}: .{old} is assigned to, which .{new} cannot be")
            if _starts_with(source, node, new, old):
                continue
            edits.change(node, lambda n: _chained(_receiver(n, _first(old)), new))
        return source.rewritten(edits, f"nothing uses {self.base}.{old}")


def _first(suffix: str) -> str:
    return suffix.partition(".")[0].partition("(")[0]


def _receiver(node: cst.CSTNode, first: str) -> cst.BaseExpression | None:
    """The object whose attribute ``first`` an expression of attributes and calls begins with."""
    found = None
    while isinstance(node, (cst.Attribute, cst.Call)):
        if isinstance(node, cst.Attribute) and node.attr.value == first:
            found = node.value
        node = node.value if isinstance(node, cst.Attribute) else node.func
    return found


def _starts_with(source: Source, node: cst.BaseExpression, new: str, old: str) -> bool:
    """Whether what the node becomes already stands around it: ``x.a`` within ``x.a.b`` when a becomes a.b."""
    if not new.startswith((f"{old}.", f"{old}(")):
        return False
    whole: list[cst.BaseExpression] = [*source.index.calls, *source.index.attributes]
    receiver = _receiver(node, _first(old))
    return any(
        _receiver(other, _first(new)) is receiver and receiver is not None and same_code(other, new, receiver)
        for other in whole
    )


def _chained(receiver: cst.BaseExpression | None, suffix: str) -> cst.BaseExpression:
    assert receiver is not None
    shape = node = cst.parse_expression(f"x.{suffix}")
    while isinstance(node, (cst.Attribute, cst.Call)):
        node = node.value if isinstance(node, cst.Attribute) else node.func
    result = shape.deep_replace(node, receiver)
    assert isinstance(result, cst.BaseExpression)
    return result
