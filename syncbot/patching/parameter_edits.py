"""Edits of a function's parameters and of a call's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from syncbot.contracts.changes import ParameterKind
from syncbot.patching import comma_lists
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.node_text import dotted

#: Names of the parameter that holds a method's instance or class.
RECEIVERS = ("self", "cls")


def parameter_names(parameters: cst.Parameters) -> set[str]:
    """Return the names of all parameters, starred ones included."""
    return {item.name.value for item in _flat(parameters) if isinstance(item, cst.Param)}


def is_static(function: cst.FunctionDef) -> bool:
    """Return whether a method is decorated ``@staticmethod``."""
    return any(dotted(d.decorator) == "staticmethod" for d in function.decorators)


def named(function: cst.FunctionDef, name: str) -> cst.Param | None:
    """Return the parameter of that name, if one without a star has it."""
    parameters = function.params
    plain = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    return next((item for item in plain if item.name.value == name), None)


def parameter(name: str, default: str | None, annotation: str | None = None) -> cst.Param:
    """Return the node for a parameter, from source texts, with the spaces that PEP 8 wants around ``=``."""
    space = cst.SimpleWhitespace("" if annotation is None else " ")
    new = cst.Param(cst.Name(name))
    if annotation is not None:
        new = new.with_changes(annotation=cst.Annotation(cst.parse_expression(annotation)))
    if default is not None:
        equal = cst.AssignEqual(whitespace_before=space, whitespace_after=space)
        new = new.with_changes(default=cst.parse_expression(default), equal=equal)
    return new


def takes_anything(parameters: cst.Parameters, kind: ParameterKind) -> bool:
    """Return whether a starred parameter already accepts an argument of that kind."""
    if kind == "pos":
        return isinstance(parameters.star_arg, cst.Param)
    return parameters.star_kwarg is not None


def with_parameter(
    function: cst.FunctionDef, new: cst.Param, kind: ParameterKind, after: str | None
) -> cst.FunctionDef:
    """The function with one parameter more: behind ``after`` (``self`` or ``cls`` is the method's own first
    one), else at the end of its kind, where Python takes it."""
    items = _flat(function.params)
    at = _place(items, new, kind, after, receivers=0 if is_static(function) else 1)
    opening = function.whitespace_before_params
    if kind == "key" and not any(_is_star(item) for item in items):
        items = comma_lists.insert(items, at, cst.ParamStar(), opening)
        at += 1
    return function.with_changes(params=_grouped(comma_lists.insert(items, at, new, opening)))


def without_parameter(function: cst.FunctionDef, name: str) -> cst.FunctionDef:
    """Return the function without the parameter, and without a bare ``*`` or ``/`` that served it alone."""
    items = _flat(function.params)
    at = next(i for i, item in enumerate(items) if isinstance(item, cst.Param) and item.name.value == name)
    items = comma_lists.remove(items, at)
    for index, item in enumerate(items):
        following = items[index + 1 : index + 2]
        lonely_star = isinstance(item, cst.ParamStar) and (not following or _is_double_star(following[0]))
        if lonely_star or (isinstance(item, cst.ParamSlash) and index == 0):
            items = comma_lists.remove(items, index)
            break
    opening = function.whitespace_before_params if items else cst.SimpleWhitespace("")
    return function.with_changes(params=_grouped(items), whitespace_before_params=opening)


def with_argument(call: cst.Call, new: cst.Arg) -> cst.Call:
    """Return the call with one keyword argument more, before any ``**``."""
    at = next((i for i, a in enumerate(call.args) if a.star == "**"), len(call.args))
    args = comma_lists.insert(call.args, at, new, call.whitespace_before_args)
    return call.with_changes(args=[in_parentheses(argument) for argument in args])


def in_parentheses(argument: cst.Arg) -> cst.Arg:
    """Return an argument that may stand beside others: a generator needs parentheses there."""
    value = argument.value
    if not isinstance(value, cst.GeneratorExp) or value.lpar:
        return argument
    return argument.with_changes(value=value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))


def without_argument(call: cst.Call, at: int) -> cst.Call:
    """Return the call without the argument at that index."""
    args = comma_lists.remove(call.args, at)
    before = call.whitespace_before_args if args else cst.SimpleWhitespace("")
    return call.with_changes(args=args, whitespace_before_args=before)


def keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    """Return the node for ``name=value`` as calls write it."""
    bare = cst.SimpleWhitespace("")
    equal = cst.AssignEqual(whitespace_before=bare, whitespace_after=bare)
    return cst.Arg(value=value, keyword=cst.Name(name), equal=equal)


def keyword_index(call: cst.Call, name: str) -> int | None:
    """Return the index of the keyword argument of that name."""
    return next(
        (i for i, a in enumerate(call.args) if a.keyword is not None and a.keyword.value == name), None
    )


def has_keyword(call: cst.Call, name: str) -> bool:
    """Return whether the call passes a keyword argument of that name."""
    return keyword_index(call, name) is not None


def has_starred(call: cst.Call) -> bool:
    """Return whether the call passes ``**something``, which may hold any keyword."""
    return any(argument.star == "**" for argument in call.args)


def _is_star(item: Any) -> bool:
    return isinstance(item, cst.ParamStar) or (isinstance(item, cst.Param) and item.star == "*")


def _is_double_star(item: Any) -> bool:
    return isinstance(item, cst.Param) and item.star == "**"


def _flat(parameters: cst.Parameters) -> list[Any]:
    items: list[Any] = list(parameters.posonly_params)
    if isinstance(parameters.posonly_ind, cst.ParamSlash):
        items.append(parameters.posonly_ind)
    items.extend(parameters.params)
    if isinstance(parameters.star_arg, (cst.Param, cst.ParamStar)):
        items.append(parameters.star_arg)
    items.extend(parameters.kwonly_params)
    if parameters.star_kwarg is not None:
        items.append(parameters.star_kwarg)
    return items


def _grouped(items: Sequence[Any]) -> cst.Parameters:
    slash = next((i for i, item in enumerate(items) if isinstance(item, cst.ParamSlash)), None)
    positional_only = items[:slash] if slash is not None else ()
    rest = list(items[slash + 1 :] if slash is not None else items)
    double = rest.pop() if rest and _is_double_star(rest[-1]) else None
    star = next((i for i, item in enumerate(rest) if _is_star(item)), len(rest))
    return cst.Parameters(
        posonly_params=tuple(positional_only),
        posonly_ind=items[slash] if slash is not None else cst.MaybeSentinel.DEFAULT,
        params=tuple(rest[:star]),
        star_arg=rest[star] if star < len(rest) else cst.MaybeSentinel.DEFAULT,
        kwonly_params=tuple(rest[star + 1 :]),
        star_kwarg=double,
    )


def _place(
    items: Sequence[Any], new: cst.Param, kind: ParameterKind, after: str | None, receivers: int
) -> int:
    first, last = _region(items, kind)
    named = [
        i + 1 for i, item in enumerate(items) if isinstance(item, cst.Param) and item.name.value == after
    ]
    if not named and after in RECEIVERS:
        named = [receivers]
    at = min(max(named[0], first), last) if named else last
    return at if kind == "key" else _among_defaults(items[:last], new, at)


def _region(items: Sequence[Any], kind: ParameterKind) -> tuple[int, int]:
    """Between which places the parameters of a kind stand."""
    slash = next((i for i, item in enumerate(items) if isinstance(item, cst.ParamSlash)), None)
    end = len(items) - (1 if items and _is_double_star(items[-1]) else 0)
    star = next((i for i, item in enumerate(items) if _is_star(item)), end)
    return {
        "pos": (0, slash if slash is not None else 0),
        "any": (slash + 1 if slash is not None else 0, star),
        "key": (star + 1 if star < end else end, end),
    }[kind]


def _among_defaults(before: Sequence[Any], new: cst.Param, at: int) -> int:
    """The place next to ``at`` where no parameter without a default follows one with a default."""
    given = [getattr(item, "default", None) is not None for item in before]
    if new.default is None:
        return min([at, *(i for i, has in enumerate(given) if has)])
    return max([at, *(i + 1 for i, has in enumerate(given) if not has)])
