"""Methods of upstream that choose one of several others to be called: what is chosen is called in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

_WHATEVER = [["*", "**"], ["*"], ["**"]]


def dispatched(
    own: Symbol, universe: Universe, is_upstream: Callable[[str], bool]
) -> Iterator[tuple[str, ...]]:
    """The methods among which each method of the upstream classes that a class derives from chooses."""
    for owner in universe.lineage(own).classes:
        node = owner.class_ if is_upstream(owner.module) else None
        for names in node.choices if node is not None else ():
            methods = tuple(name for name in names if _is_method(owner, name, universe))
            if len(methods) > 1:
                yield methods


def followed(
    classes: Sequence[Symbol], name: str, choices: tuple[str, ...], universe: Universe
) -> str | None:
    """The choice beside ``name`` whose parameters tell how all are called: of the first of some classes with
    one that does not take whatever it is given."""
    others = [choice for choice in choices if choice != name]
    for owner in classes:
        for choice in others:
            functions = [n for n in universe.defined(owner, choice) if isinstance(n, Function)]
            if functions and not takes_whatever(functions[-1]):
                return choice
    return None


def _is_method(owner: Symbol, name: str, universe: Universe) -> bool:
    member = universe.member(owner, name)
    return member is not None and bool(member.functions) and not member.functions[-1].decorators


def takes_whatever(function: Function) -> bool:
    """Whether a method says nothing of its parameters: ``(self, *args, **kwargs)``."""
    return [p.kind for p in function.parameters[1:]] in _WHATEVER
