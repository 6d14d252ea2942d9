"""The nature of an attribute: a method, a value, one that is set on some paths only; and when that
changed."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from syncbot.api.expressions import expression
from syncbot.api.methods import is_property, is_read_only
from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Member
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground

# Functions whose results cannot be called.
_VALUES = ("len", "int", "bool", "str", "float", "list", "dict", "set", "tuple", "sum", "sorted", "range")


#: What upstream did, how sure it is that it fails, and in words why.
Nature: TypeAlias = tuple[ChangeKind, Ground, str]


def other_nature(use: str, tolerant: bool, old: Member, new: Member) -> Nature | None:
    """Return what fails for who reads, writes or calls an attribute that is there still; None where nothing
    does."""
    was, now = _callable(old), _callable(new)
    differs = was is not None and now is not None and was != now
    if use == "write" and not is_read_only(old) and is_read_only(new):
        reason = "is now a property without a setter: setting it fails"
        return ChangeKind.ATTRIBUTE_READ_ONLY, Ground.READ_ONLY, reason
    if differs and use == "read" and now:
        reason = "was a value and is now a method: reading it gives the method itself"
        return ChangeKind.ATTRIBUTE_BECAME_METHOD, Ground.MEMBER_BECAME_METHOD, reason
    if differs and use == "call" and not now:
        reason = "was a method and is now a value: calling it fails"
        return ChangeKind.METHOD_BECAME_ATTRIBUTE, Ground.METHOD_BECAME_VALUE, reason
    return None if differs or use != "read" or tolerant else _for_readers(old, new)


def _for_readers(old: Member, new: Member) -> Nature | None:
    """Return what may fail for who reads an attribute that is as callable as it was, as far as that can be
    told."""
    if _callable(new) and _may_be_value(old):
        reason = "was set to what a call gives and is now a method: reading it gives the method itself"
        return ChangeKind.ATTRIBUTE_BECAME_METHOD, Ground.DOUBTED, reason
    if _became_conditional(old, new):
        condition = next(a.guards[-1] for a in new.attributes if a.guards)
        reason = f"is now set on one branch only ({condition})"
        return ChangeKind.ATTRIBUTE_CONDITIONAL, Ground.ON_ONE_BRANCH, reason
    return None


def _became_conditional(old: Member, new: Member) -> bool:
    """Whether one class set an attribute on every path, and does not any more."""
    if not old.attributes or not new.attributes or new.functions or old.owner.name != new.owner.name:
        return False
    return is_unconditional(old.attributes) and not is_unconditional(new.attributes)


def _callable(member: Member) -> bool | None:
    """True for a method, False for a plain value or property, None where it cannot be told."""
    last = member.nodes[-1]
    if isinstance(last, Function):
        return not is_property(last)
    if isinstance(last, Attribute) and (last.annotation or last.value):
        text = f"{last.annotation or ''} {last.value or ''}"
        if any(word in text for word in ("Callable", "lambda", "partial", "None")):
            return None
        simple = last.annotation is not None or _is_plain_value(last.value or "")
        return False if simple else None
    return None


def _may_be_value(member: Member) -> bool:
    """Whether a member is only ever set to what calls give: that may be a function, and seldom is."""
    values = [expression(a.value or "") if isinstance(a, Attribute) else None for a in member.nodes]
    said = " ".join(a.value or "" for a in member.nodes if isinstance(a, Attribute))
    makes = any(word in said for word in ("partial", "lambda", "compile", "wrap", "function", "getattr"))
    return bool(values) and all(isinstance(value, ast.Call) for value in values) and not makes


@lru_cache(4096)
def _is_plain_value(text: str) -> bool:
    """Whether an expression gives a value that cannot be called: a literal, a comparison, a number."""
    match expression(text):
        case ast.Call(func=ast.Name(id=name)):
            return name in _VALUES
        case ast.Compare() | ast.JoinedStr() | ast.BinOp() | ast.UnaryOp() | ast.Constant():
            return True
    return text.startswith(tuple("0123456789'\"[{("))


def is_unconditional(attributes: Sequence[Attribute]) -> bool:
    """Whether an attribute is set on every path: somewhere without a condition, or on both branches."""
    paths = {tuple(g for g in a.guards if g.startswith(("if ", "else ", "except "))) for a in attributes}
    pending = list(paths)
    while pending:
        path = pending.pop()
        if not path:
            return True
        kind, _, test = path[-1].partition(" ")
        other = "else" if kind == "if" else "if"
        if (*path[:-1], f"{other} {test}") in paths and path[:-1] not in paths:
            paths.add(path[:-1])
            pending.append(path[:-1])
    return False
