"""Bases from Python's standard library: what upstream's class no longer defines may come from one."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

from syncbot.api.methods import is_accessor, is_classmethod, is_property, is_static, method_signature
from syncbot.api.model import Function, Parameter, Passing
from syncbot.api.signatures import Signature
from syncbot.api.symbols import Node, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.standard_library import standard_class
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding, Verdict

_KINDS: dict[object, Passing] = {
    inspect.Parameter.POSITIONAL_ONLY: "pos",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "any",
    inspect.Parameter.KEYWORD_ONLY: "key",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def standard_base(universe: Universe, owner: Symbol, name: str) -> type | None:
    """The base of a class that is one of Python's standard library and has an attribute."""
    bases = (standard_class(written) for written in universe.lineage(owner).external)
    return next((base for base in bases if base is not None and _has(base, name)), None)


def unless_standard(
    finding: Finding, universe: Universe, owner: Symbol, nodes: Sequence[Node]
) -> Iterator[Finding]:
    """The finding that the class ``owner`` lost its attribute ``nodes``: none where a standard base has the
    like, a risk where what the base has is not known to be like it."""
    base = standard_base(universe, owner, nodes[-1].name) if nodes and owner.kind == "class" else None
    if base is None or _is_of_other_nature(theirs := _attribute(base, nodes[-1].name), nodes[-1]):
        yield finding
    elif finding.kind is ChangeKind.ATTRIBUTE_RENAMED or not _is_alike(theirs, nodes[-1]):
        why = f", but {base.__module__}.{base.__qualname__}, a base of its class, has one of that name"
        yield finding.doubted(Ground.DOUBTED, why) if finding.verdict is Verdict.BREAKS else finding


def _has(base: type, name: str) -> bool:
    return any(name in vars(class_) for class_ in base.__mro__)


def _attribute(base: type, name: str) -> object:
    """Return what a class or one above it has in its body; what its metaclass has does not count."""
    return next(vars(class_)[name] for class_ in base.__mro__ if name in vars(class_))


def _is_of_other_nature(theirs: object, ours: Node) -> bool:
    """Whether one is a method and the other one a value."""
    called = callable(theirs) or isinstance(theirs, classmethod | staticmethod)
    return called is (not isinstance(ours, Function) or is_property(ours))


def _is_alike(theirs: object, ours: Node) -> bool:
    """Whether what a base has takes all that upstream's took; a value, whether it can be set as well."""
    if not isinstance(ours, Function) or is_property(ours):
        settable = not isinstance(ours, Function) or is_accessor(ours)
        return not (settable and isinstance(theirs, property) and theirs.fset is None)
    if is_classmethod(ours) is not isinstance(theirs, classmethod):
        return False
    if is_static(ours) is not isinstance(theirs, staticmethod):
        return False
    known = _signature(theirs, bound=not is_static(ours))
    same = ours.is_async is inspect.iscoroutinefunction(getattr(theirs, "__func__", theirs))
    return same and known is not None and _takes(known, method_signature(ours))


def _signature(method: object, bound: bool) -> Signature | None:
    """Return what a method takes, the receiver left out; None where Python cannot tell."""
    function = getattr(method, "__func__", method)
    try:
        parameters = list(inspect.signature(function).parameters.values()) if callable(function) else []
    except (TypeError, ValueError):
        return None
    taken = (Parameter(p.name, _KINDS[p.kind], None if p.default is p.empty else "...") for p in parameters)
    return Signature(tuple(taken)[1:] if bound else tuple(taken))


def _takes(theirs: Signature, ours: Signature) -> bool:
    """Whether every call that fits one signature fits the other one, and means the same there."""
    places = [p.name for p in theirs.positional[: len(ours.positional)]] == [p.name for p in ours.positional]
    stars = all(theirs.has(kind) or not ours.has(kind) for kind in ("*", "**"))
    wanted = {p.name for p in theirs.parameters if p.required}
    given = {p.name for p in ours.parameters if p.required}
    return places and stars and ours.names <= theirs.names and wanted <= given
