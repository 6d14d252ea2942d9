"""Constructor parameters from ``field(…)``, ``attr.ib(…)``: https://www.attrs.org/en/stable/api.html."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from syncbot.api.expressions import last_name
from syncbot.api.model import Attribute, Parameter
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

# Decorators and field functions of attrs, by their full names. The first ones take only explicit fields.
_ATTRS_EXPLICIT = ("attr.s", "attr.attrs", "attr.attributes")
_ATTRS = (
    *_ATTRS_EXPLICIT,
    *("attr.dataclass", "attr.define", "attr.mutable", "attr.frozen"),
    *("attrs.define", "attrs.mutable", "attrs.frozen"),
)
_FIELD_FUNCTIONS = ("ib", "attrib", "attr", "field")
_ATTRS_FIELDS = ("attr.ib", "attr.attrib", "attr.attr", "attr.field", "attrs.field")


def is_attrs(universe: Universe, symbol: Symbol) -> bool:
    """Whether a decorator of attrs writes the constructor (and does not leave it out by ``init=False``)."""
    return _decorator(universe, symbol) is not None


def _decorator(universe: Universe, symbol: Symbol) -> tuple[str, str] | None:
    """The full name of the attrs decorator of a class, and its arguments as text."""
    node = symbol.class_
    for decorator in node.decorators if node is not None else ():
        head, _, options = decorator.partition("(")
        name = universe.external_name(symbol.module, head)
        if name in _ATTRS and "init=False" not in options:
            return name, options
    return None


def attrs_fields(universe: Universe, classes: Sequence[Symbol]) -> tuple[Parameter, ...]:
    """Constructor parameters of an attrs class, base classes first, without leading underscores. Annotated
    attributes count where the decorator collects them."""
    fields: dict[str, Parameter] = {}
    for owner in reversed(classes):
        node, decorator = universe.body(owner), _decorator(universe, owner)
        if node is None or decorator is None:
            continue
        name, options = decorator
        keyword_only = "kw_only=True" in options
        explicit = name in _ATTRS_EXPLICIT and "auto_attribs=True" not in options
        computed = {
            d.partition(".")[0] for f in node.functions for d in f.decorators if d.endswith(".default")
        }
        for attribute in node.attributes:
            if attribute.origin or "ClassVar" in (attribute.annotation or ""):
                continue
            if _is_attrs_field(universe, owner, attribute) or (attribute.annotation and not explicit):
                parameter = _attrs_field(attribute, keyword_only)
                if parameter is not None and attribute.name in computed:
                    parameter = replace(parameter, default="...")
                fields.pop(attribute.name, None)
                if parameter is not None:
                    fields[attribute.name] = parameter
    return tuple(sorted(fields.values(), key=lambda p: p.kind == "key"))


def _is_attrs_field(universe: Universe, owner: Symbol, attribute: Attribute) -> bool:
    head, called, _ = (attribute.value or "").partition("(")
    return bool(called) and universe.external_name(owner.module, head) in _ATTRS_FIELDS


def _attrs_field(attribute: Attribute, keyword_only: bool) -> Parameter | None:
    default, name = attribute.value, attribute.name.lstrip("_")
    options = call_options(default) if default is not None and "(" in default else None
    if options is not None and last_name(default or "") in _FIELD_FUNCTIONS:
        if options.get("init") == "False":
            return None
        name = options["alias"].strip("'\"") if "alias" in options else name
        keyword_only = options.get("kw_only", str(keyword_only)) == "True"
        default = next((options[k] for k in ("default", "factory", "") if k in options), None)
    return Parameter(name, "key" if keyword_only else "any", default, attribute.annotation)


@lru_cache(4096)
def call_options(value: str) -> Mapping[str, str] | None:
    """The arguments of a call given as text, the first positional one under ``""``; None for no call."""
    try:
        node = ast.parse(value, mode="eval").body
    except (SyntaxError, ValueError):
        return {"default": "..."} if "default" in value else {}
    if not isinstance(node, ast.Call):
        return None
    options = {k.arg: ast.unparse(k.value) for k in node.keywords if k.arg}
    if node.args:
        options[""] = ast.unparse(node.args[0])
    return options
