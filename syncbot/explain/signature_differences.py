"""Differences between two signatures of one function, in fewer words than both of them."""

from __future__ import annotations

import ast
import difflib


def difference(old: str, new: str) -> str:
    """The parameters that came, went and changed; the new signature where that is no longer."""
    before, after = _parameters(old), _parameters(new)
    if before is None or after is None:
        return new
    said = []
    for tag, first, last, start, end in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
        if tag != "equal":
            said += [f"- {each}" for each in before[first:last]]
            said += [f"+ {each}" for each in after[start:end]]
    told = ", ".join(said)
    return told if said and len(told) < len(new) else new


def _parameters(signature: str) -> list[str] | None:
    """The parameters as the source has them, with what stands after an arrow as the last; None if it is no
    signature."""
    try:
        [made] = ast.parse(f"def f{signature}: pass").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if not isinstance(made, ast.FunctionDef):
        return None
    takes = made.args
    places = [*takes.posonlyargs, *takes.args]
    defaults = [*[None] * (len(places) - len(takes.defaults)), *takes.defaults]
    found = [_one(arg, default) for arg, default in zip(places, defaults, strict=True)]
    if takes.posonlyargs:
        found.insert(len(takes.posonlyargs), "/")
    if takes.vararg is not None or takes.kwonlyargs:
        found.append(f"*{ast.unparse(takes.vararg) if takes.vararg is not None else ''}")
    found += [_one(a, d) for a, d in zip(takes.kwonlyargs, takes.kw_defaults, strict=True)]
    found += [f"**{ast.unparse(takes.kwarg)}"] if takes.kwarg is not None else []
    return found + ([f"-> {ast.unparse(made.returns)}"] if made.returns is not None else [])


def _one(parameter: ast.arg, default: ast.expr | None) -> str:
    return ast.unparse(parameter) + (f"={ast.unparse(default)}" if default is not None else "")
