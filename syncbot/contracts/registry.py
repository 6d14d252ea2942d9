"""Kinds of contract, found by registration: one module in :mod:`syncbot.contracts.kinds` each."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from syncbot.contracts.model import Contract, Finding
from syncbot.package_modules import import_all

if TYPE_CHECKING:
    from syncbot.api.universe import Universe
    from syncbot.contracts.comparison import Comparison
    from syncbot.contracts.context import Context

Audit = Callable[[Any, "Universe"], Iterator[str]]
Finder = Callable[[Any, "Context"], Iterator[Contract]]
Judge = Callable[[Any, "Comparison"], Iterator[Finding]]
F = TypeVar("F", bound=Finder)
J = TypeVar("J", bound=Judge)
A = TypeVar("A", bound=Audit)

_GROUPS = (ast.stmt, ast.expr, ast.excepthandler, ast.pattern)
_SINGLE = (ast.alias, ast.arg, ast.arguments, ast.comprehension, ast.keyword, ast.match_case, ast.withitem)
#: The kinds of node that finders are shown: all that have a place in a text. Operators and the contexts of
#: names have none; the classes that Python keeps for old programs never occur.
SHOWN = frozenset[type[ast.AST]]([*_SINGLE, *(kind for group in _GROUPS for kind in group.__subclasses__())])

_KINDS = "syncbot.contracts.kinds"
_NAME = re.compile(r"\w+")
_finders: dict[type[ast.AST], list[Finder]] = defaultdict(list)
_words: dict[Finder, frozenset[str]] = {}
_judges: dict[type[Contract], Judge] = {}
_audits: dict[type[Contract], Audit] = {}


def finder(*nodes: type[ast.AST], words: Collection[str] = ()) -> Callable[[F], F]:
    """Register a function ``(node, context) -> contracts`` for kinds of syntax node. Handlers, cases and
    parameters are nobody's ``context.parent``: their statement is. Where ``words`` are told, only files that
    have one of them are shown. Raises TypeError for a kind of node that no finder is shown."""
    for node in nodes:
        if node not in SHOWN:
            raise TypeError(f"no finder is shown ast.{node.__name__}: register for a node that holds it")

    def register(function: F) -> F:
        for node in nodes:
            _finders[node].append(function)
        if words:
            _words[function] = frozenset(words)
        return function

    return register


def judge(contract: type[Contract]) -> Callable[[J], J]:
    """Register the function that compares one kind of contract between two upstream trees."""

    def register(function: J) -> J:
        _judges[contract] = function
        return function

    return register


def audit(contract: type[Contract]) -> Callable[[A], A]:
    """Register the function that says why one kind of contract is not kept by one upstream tree."""

    def register(function: A) -> A:
        _audits[contract] = function
        return function

    return register


def finders() -> dict[type[ast.AST], list[Finder]]:
    """All registered finders by syntax node."""
    import_all(_KINDS)
    return _finders


def finders_for(
    words: frozenset[str], kinds: Collection[type[Contract]] | None = None
) -> Mapping[type[ast.AST], Sequence[Finder]]:
    """The finders by syntax node that a file with these words is shown; of ``kinds``, where they are told,
    those that say to find some of them."""
    everything = finders()
    idle = {function for function, wanted in _words.items() if wanted.isdisjoint(words)}
    if kinds is not None:
        idle |= {f for several in everything.values() for f in several if not _finds(f, kinds)}
    return {node: [f for f in several if f not in idle] for node, several in everything.items()}


def _finds(function: Finder, kinds: Collection[type[Contract]]) -> bool:
    """Whether a finder finds contracts of some kinds, by the type of its result."""
    told = _NAME.findall(str(function.__annotations__.get("return", "")))
    return any(kind.__name__ in told for kind in kinds)


def audited_kinds() -> Collection[type[Contract]]:
    """The kinds that one tree can be asked about."""
    import_all(_KINDS)
    return _audits.keys()


def contract_types() -> dict[str, type[Contract]]:
    """The classes of all kinds of contract by name."""
    import_all(_KINDS)
    return {kind.__name__: kind for kind in Contract.__subclasses__()}


def check_of(finder: Finder) -> str:
    """The name of the check that a finder belongs to: its module's."""
    return finder.__module__.rpartition(".")[2]


def judge_of(contract: Contract) -> Judge | None:
    """The judge for a contract's kind; None for kinds that are only listed."""
    import_all(_KINDS)
    return _judges.get(type(contract))


def audit_of(contract: Contract) -> Audit | None:
    """The audit for a contract's kind; None for kinds that can only be compared."""
    import_all(_KINDS)
    return _audits.get(type(contract))
