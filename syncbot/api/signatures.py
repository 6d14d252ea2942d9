"""Finds the signatures of callables, and checks whether a call binds to one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from syncbot.api.expressions import last_name, string
from syncbot.api.fields import attrs_fields, call_options, is_attrs
from syncbot.api.model import Attribute, Function, Parameter
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

_KEYWORD_ONLY_BASES = ("pydantic.BaseModel", "pydantic.main.BaseModel", "BaseModel", "BaseSettings")
# Modules whose class decorators leave the constructor alone.
_HARMLESS = ("abc", "enum", "functools", "typing", "typing_extensions", "warnings", "contextlib", "ray")
# A condition with such a word may ask what upstream has.
_ASKS = re.compile(r"version|attr\(|signature|fields|parameters|inspect|annotations|support|compat|v\d", re.I)
_FIELD_BASES = ("msgspec.Struct", "Struct", "typing.NamedTuple", "NamedTuple", *_KEYWORD_ONLY_BASES)


@dataclass(frozen=True)
class Signature:
    """The parameters that a caller fills, the receiver left out."""

    parameters: tuple[Parameter, ...]

    @cached_property
    def positional(self) -> tuple[Parameter, ...]:
        """The parameters that positional arguments fill, in order."""
        return tuple(p for p in self.parameters if p.kind in ("pos", "any"))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that may be passed as keywords."""
        return frozenset(p.name for p in self.parameters if p.kind in ("any", "key"))

    def has(self, kind: str) -> bool:
        """Whether there is a parameter of that kind, ``*`` or ``**``."""
        return kind in self._kinds

    def get(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        return self._by_name.get(name)

    @cached_property
    def _kinds(self) -> frozenset[str]:
        return frozenset(p.kind for p in self.parameters)

    @cached_property
    def _by_name(self) -> Mapping[str, Parameter]:
        return {p.name: p for p in reversed(self.parameters)}

    def __str__(self) -> str:
        shown: list[str] = []
        for before, parameter in zip((None, *self.parameters), self.parameters, strict=False):
            kind = before.kind if before is not None else ""
            if kind == "pos" != parameter.kind:
                shown.append("/")
            if parameter.kind == "key" and kind not in ("key", "*"):
                shown.append("*")
            shown.append(_shown(parameter))
        if self.parameters and self.parameters[-1].kind == "pos":
            shown.append("/")
        return f"({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call. ``named`` says what stands by position: the last part of a name, a literal's
    type as ``<str>``, or nothing; ``constants`` are the literals, by place (``0``) or keyword; ``starred``
    and ``double_starred`` expressions add unknown ones, ``perhaps`` are keywords that not each run passes,
    ``sometimes`` those of them of which a condition decides that asks nothing about upstream."""

    positional: int
    keywords: tuple[str, ...]
    starred: bool = False
    double_starred: bool = False
    named: tuple[str, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    perhaps: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()

    @property
    def hides_keywords(self) -> bool:
        """Whether it is not known for each run which keywords there are."""
        return self.double_starred or bool(self.perhaps)

    @staticmethod
    def of(call: ast.Call) -> Arguments:
        """The arguments that a call is written with, without ``named``."""
        unnamed = [_perhaps(k.value) for k in call.keywords if k.arg is None]
        return Arguments(
            sum(not isinstance(a, ast.Starred) for a in call.args),
            tuple(k.arg for k in call.keywords if k.arg),
            any(isinstance(a, ast.Starred) for a in call.args),
            None in unnamed,
            perhaps=tuple(name for names in unnamed for name in names or ()),
            sometimes=tuple(name for k in call.keywords if k.arg is None for name in _sometimes(k.value)),
        )


def _perhaps(node: ast.expr) -> tuple[str, ...] | None:
    """The keywords that ``**({"name": value} if … else {})`` passes or not; None for any other expression."""
    match node:
        case ast.IfExp(body=ast.Dict(keys=keys), orelse=ast.Dict(keys=others)):
            names = [string(key) if key is not None else None for key in (*keys, *others)]
            return tuple(n for n in names if n is not None) if None not in names else None
    return None


def _sometimes(node: ast.expr) -> tuple[str, ...]:
    """The same where the condition is known, and tests neither what upstream has nor its version."""
    test = node.test if isinstance(node, ast.IfExp) else None
    if test is None or isinstance(test, ast.Constant) or _ASKS.search(ast.unparse(test)):
        return ()
    return _perhaps(node) or ()


@dataclass(frozen=True, slots=True)
class BindProblem:
    """``kind`` is ``unexpected``, ``missing``, ``too-many`` or ``twice`` (by place and by name)."""

    kind: str
    name: str


def bind(signature: Signature, call: Arguments) -> tuple[BindProblem, ...]:
    """Why a call would raise TypeError, empty where it binds (as :meth:`inspect.Signature.bind` does)."""
    problems: list[BindProblem] = []
    positional = signature.positional
    if call.positional > len(positional) and not signature.has("*"):
        problems.append(BindProblem("too-many", str(len(positional))))
    filled = {p.name for p in positional[: call.positional]}
    for keyword in call.keywords:
        if keyword in signature.names:
            if keyword in filled:
                problems.append(BindProblem("twice", keyword))
            filled.add(keyword)
        elif not signature.has("**"):
            problems.append(BindProblem("unexpected", keyword))
    if not call.double_starred:
        for parameter in signature.parameters:
            if parameter.required and parameter.name not in filled.union(call.perhaps):
                if call.starred and parameter.kind != "key":
                    continue
                problems.append(BindProblem("missing", parameter.name))
    return tuple(problems)


def function_signatures(functions: Sequence[Function], bound: bool) -> tuple[Signature, ...]:
    """The signatures that a function's definitions offer; overload stubs give way to the implementation
    where that is among them."""
    chosen = [f for f in functions if not any(d.rpartition(".")[2] == "overload" for d in f.decorators)]
    return tuple(
        Signature(f.parameters[1:] if bound and f.parameters else f.parameters) for f in chosen or functions
    )


@dataclass(frozen=True, slots=True)
class Maker:
    """The constructor of a class: ``functions`` (``__init__`` or ``__new__``) of ``owner``, or the fields of
    ``classes``, or nothing. ``name`` is the dotted name of its definition."""

    name: str
    functions: tuple[Function, ...] = ()
    fields: str = ""
    classes: tuple[Symbol, ...] = ()
    owner: Symbol | None = None


def maker(universe: Universe, symbol: Symbol) -> Maker | None:
    """Return the constructor of a class; None with no ``__init__`` in sight and a base outside the trees."""
    lineage = universe.lineage(symbol)
    found: Maker | None = None
    for index, owner in enumerate(lineage.classes):
        node = owner.class_
        if node is None:
            return None
        methods = _methods(universe, owner, "__init__")
        if methods:
            return Maker(f"{owner.name}.__init__", methods, owner=owner)
        has_fields = _has_fields(universe, owner)
        if has_fields and not any("init=False" in d for d in node.decorators):
            return Maker(owner.name, fields="dataclass", classes=lineage.classes[index:])
        if is_attrs(universe, owner):
            return Maker(owner.name, fields="attrs", classes=lineage.classes[index:])
        if not has_fields and any(_may_construct(universe, owner, d) for d in node.decorators):
            return None
        news = _methods(universe, owner, "__new__")
        if news and found is None:
            found = Maker(f"{owner.name}.__new__", news, owner=owner)
    # Whatever a base outside takes, __new__ is called first; what makes an enumeration calls it otherwise.
    if lineage.external and (found is None or any("enum" in base.lower() for base in lineage.external)):
        return None
    # Without an __init__ of its own, a class takes what its __new__ takes.
    return found or Maker(symbol.name)


def _methods(universe: Universe, owner: Symbol, name: str) -> tuple[Function, ...]:
    return tuple(node for node in universe.defined(owner, name) if isinstance(node, Function))


def constructor(universe: Universe, symbol: Symbol) -> tuple[tuple[Signature, ...], str] | None:
    """The signatures of calling a class, and what defines them; None as :func:`maker` says."""
    made = maker(universe, symbol)
    if made is None:
        return None
    if made.functions:
        return function_signatures(made.functions, bound=True), made.name
    fields = {"dataclass": dataclass_fields, "attrs": attrs_fields}.get(made.fields)
    return (Signature(fields(universe, made.classes) if fields is not None else ()),), made.name


def is_dataclass(universe: Universe, symbol: Symbol) -> bool:
    """Whether a decorator makes annotations fields: ``dataclass``, or a ``dataclass_transform`` (PEP 681)."""
    node = symbol.class_
    for decorator in node.decorators if node is not None else ():
        name = decorator.partition("(")[0]
        if name.rpartition(".")[2] == "dataclass":
            return True
        if all(part.isidentifier() for part in name.split(".")):
            found = universe.local(symbol.module, name)
            if found is not None and any(
                "dataclass_transform" in d for f in found.functions for d in f.decorators
            ):
                return True
    return False


def _may_construct(universe: Universe, symbol: Symbol, decorator: str) -> bool:
    """Whether a class decorator from outside the trees may give the class a constructor."""
    head = decorator.partition("(")[0]
    name = universe.external_name(symbol.module, head)
    found = universe.local(symbol.module, head)
    return name.partition(".")[0] not in _HARMLESS and (found is None or found.kind == "unknown")


def dataclass_fields(universe: Universe, classes: Sequence[Symbol]) -> tuple[Parameter, ...]:
    """Constructor parameters from annotated attributes, bases first; pydantic takes those of any base."""
    fields: dict[str, Parameter] = {}
    everywhere = bool(classes) and _has_base(universe, classes[0], _KEYWORD_ONLY_BASES)
    for owner in reversed(classes):
        node = universe.body(owner)
        if node is None or not (everywhere or _has_fields(universe, owner)):
            continue
        options = (*node.decorators, *node.keywords)
        keyword_only = everywhere or any("kw_only=True" in text for text in options)
        for attribute in node.attributes:
            if attribute.origin or attribute.annotation is None or "ClassVar" in attribute.annotation:
                continue
            if attribute.annotation in ("KW_ONLY", "dataclasses.KW_ONLY"):
                keyword_only = True
                continue
            parameter = _field(attribute, keyword_only)
            if parameter is None:
                fields.pop(attribute.name, None)
            else:
                fields[attribute.name] = parameter
    return tuple(sorted(fields.values(), key=lambda p: p.kind == "key"))


def _has_fields(universe: Universe, owner: Symbol) -> bool:
    return is_dataclass(universe, owner) or _has_base(universe, owner, _FIELD_BASES)


def _has_base(universe: Universe, owner: Symbol, bases: Sequence[str]) -> bool:
    return any(base in bases for base in universe.lineage(owner).external)


def _field(attribute: Attribute, keyword_only: bool) -> Parameter | None:
    default = attribute.value
    if default is not None and (options := _field_options(default)) is not None:
        if options.get("init") == "False":
            return None
        keyword_only = options.get("kw_only", str(keyword_only)) == "True"
        default = options.get("default", options.get("", options.get("default_factory")))
        default = None if default == "..." else default
    return Parameter(attribute.name, "key" if keyword_only else "any", default, attribute.annotation)


def _field_options(value: str) -> Mapping[str, str] | None:
    """The arguments of ``field(…)`` or ``Field(…)``, the positional one under ``""``, else None."""
    head = last_name(value)
    if head not in ("field", "Field") or "(" not in value:
        return None
    return call_options(value)


def _shown(parameter: Parameter) -> str:
    star = parameter.kind if parameter.kind in ("*", "**") else ""
    return f"{star}{parameter.name}" + (f"={parameter.default}" if parameter.default is not None else "")


def accepts(signature: Signature, names: Iterable[str]) -> bool:
    """Whether every name may be passed as a keyword."""
    return signature.has("**") or all(name in signature.names for name in names)
