"""Which parameters the arguments of a call are for, and the call written anew with other arguments."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection

from syncbot.api.signatures import Signature
from syncbot.planning.function_facts import calls_of
from syncbot.planning.syntax_file import Routine


def bound_calls(routine: Routine, called: Collection[str], signature: Signature) -> list[dict[str, ast.expr]]:
    """The arguments of all calls by these names in a function, equal ones once; none where one is hidden."""
    found: dict[str, dict[str, ast.expr]] = {}
    for call in calls_of(routine, called):
        bound = arguments(call, signature)
        if bound is None:
            return []
        written_out = {name: ast.unparse(value) for name, value in bound.items()}
        found.setdefault(repr(sorted(written_out.items())), bound)
    return list(found.values())


def arguments(call: ast.Call, signature: Signature) -> dict[str, ast.expr] | None:
    """Parameter → argument of a call, None where stars hide it or it does not bind."""
    return None if hides(call) else shown_arguments(call, signature)


def shown_arguments(call: ast.Call, signature: Signature) -> dict[str, ast.expr] | None:
    """Parameter → argument of a call without what stars hold, None where it does not bind."""
    positional = signature.positional
    placed = list(itertools.takewhile(lambda a: not isinstance(a, ast.Starred), call.args))
    if len(placed) > len(positional):
        return None
    bound = {parameter.name: value for parameter, value in zip(positional, placed, strict=False)}
    for keyword in call.keywords:
        if keyword.arg in bound or (keyword.arg is not None and keyword.arg not in signature.names):
            return None
        if keyword.arg is not None:
            bound[keyword.arg] = keyword.value
    return bound


def hides(call: ast.Call) -> bool:
    """Whether stars hide which arguments a call passes."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def written(call: ast.Call, old: Signature, new: Signature, values: dict[str, str]) -> str | None:
    """The call with these values: those that stood by place stay there while their places allow it, and so do
    stars. None where their places mean something else now."""
    rest = dict(values)
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    words = _starred(call, old, new, rest) if starred else _placed(call, old, new, rest)
    if words is None or any(p.kind == "pos" and p.name in rest for p in new.parameters):
        return None
    order = [k.arg for k in call.keywords if k.arg in rest]
    order += [p.name for p in new.parameters if p.name in rest and p.name not in order]
    words += [f"{name}={rest[name]}" for name in order]
    words += [f"**{ast.unparse(k.value)}" for k in call.keywords if k.arg is None]
    return ast.unparse(ast.parse(f"{ast.unparse(call.func)}({', '.join(words)})", mode="eval"))


def _placed(call: ast.Call, old: Signature, new: Signature, rest: dict[str, str]) -> list[str]:
    """The values that are passed by place, taken out of the rest."""
    by_place = {p.name for p in old.positional[: len(call.args)]}
    words: list[str] = []
    for parameter in new.positional:
        if parameter.name not in rest:
            break
        stays = parameter.name in by_place or parameter.name not in [k.arg for k in call.keywords]
        keyword_only_style = not by_place and call.keywords
        if parameter.kind != "pos" and (not stays or keyword_only_style or not by_place & rest.keys()):
            break
        words.append(rest.pop(parameter.name))
    return words


def _starred(call: ast.Call, old: Signature, new: Signature, rest: dict[str, str]) -> list[str] | None:
    """Return the positional arguments, taken out of ``rest``; None where a star fills other places now."""
    named = {keyword.arg for keyword in call.keywords}
    places = [p.name for p in old.positional if p.name not in named]
    if places != [p.name for p in new.positional][: len(places)]:
        return None
    for name in places:
        rest.pop(name, None)
    return [ast.unparse(argument) for argument in call.args]
