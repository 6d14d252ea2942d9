"""Upstream wants other arguments from one particular call."""

from __future__ import annotations

import ast
from difflib import SequenceMatcher
from typing import Any

from pydantic import Field, field_validator

from syncbot.patching import comma_lists, parameter_edits
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import expression
from syncbot.patching.node_text import code
from syncbot.patching.registry import rule
from syncbot.patching.source import Edits, Source
from syncbot.patching.statement_rules import StatementRule


@rule("call_changed")
class CallChanged(StatementRule):
    """Give the calls of one function that read as ``before`` the arguments of ``after``.

    Calls are compared as syntax: spaces, quotes and line breaks do not count. Arguments that stay keep their
    text and their comments. ``before`` and ``after`` call the same thing.
    """

    before: str = Field(description="source text of the call before the upstream change", examples=["f(a)"])
    after: str = Field(description="source text of the call after it", examples=["f(a, b=None)"])

    @field_validator("before", "after")
    @classmethod
    def _is_a_call(cls, value: str) -> str:
        return ast.unparse(_call(value))

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that hold the name of what is called."""
        function = _call(self.before).func
        return (function.attr,) if isinstance(function, ast.Attribute) else ()

    def forward(self, source: Source) -> str:
        """Before to after."""
        target = cst.ensure_type(cst.parse_expression(self.after), cst.Call)
        edits = Edits()
        for call in source.index.calls:
            names = [d.name.value for d in source.index.around[call]]
            here = self.within is None or names == self.within.split(".")
            if here and _normal(code(call)) == self.before:
                edits.change(call, lambda c: _with_arguments(c, target))
        return source.rewritten(edits, f"{self.where} has no call {self.before}")


def _call(text: str) -> ast.Call:
    node = expression(text, f"{text!r} is not an expression")
    if not isinstance(node, ast.Call):
        raise ValueError(f"{text!r} is not a call")
    return node


def _normal(text: str) -> str:
    # In parentheses, since a call over several lines need not be an expression that stands alone.
    return ast.unparse(ast.parse(f"({text})", mode="eval"))


def _with_arguments(call: Any, target: cst.Call) -> cst.Call:
    """The call with the arguments of another; those that both have are left as they are."""
    old, new = ([_key(argument) for argument in c.args] for c in (call, target))
    items = list(call.args)
    for kind, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if kind == "equal":
            continue
        shared = min(i2 - i1, j2 - j1)
        for at in reversed(range(i1 + shared, i2)):
            items = comma_lists.remove(items, at)
        for at in range(shared):
            items[i1 + at] = _in_place(items[i1 + at], target.args[j1 + at])
        for at in range(j1 + shared, j2):
            fresh = target.args[at].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            items = comma_lists.insert(items, i1 + at - j1, fresh, call.whitespace_before_args)
    if len(items) > 1:
        items = [parameter_edits.in_parentheses(item) for item in items]
    before = call.whitespace_before_args if items else cst.SimpleWhitespace("")
    changed: cst.Call = call.with_changes(args=items, whitespace_before_args=before)
    return changed


def _key(argument: cst.Arg) -> tuple[str, str, str]:
    name = argument.keyword.value if argument.keyword is not None else ""
    return (argument.star, name, _normal(code(argument.value)))


def _in_place(argument: cst.Arg, new: cst.Arg) -> cst.Arg:
    """Another argument at the same place, with the separators that stand there."""
    value = new.value
    if _normal(code(argument.value)) == _normal(code(new.value)):
        value = argument.value
    return argument.with_changes(
        value=value, keyword=new.keyword, equal=new.equal, star=new.star,
        whitespace_after_star=new.whitespace_after_star,
    )  # fmt: skip
