"""A call of the backend, and what it reaches in a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from syncbot.api.methods import is_classmethod, is_property, is_static
from syncbot.api.model import Function
from syncbot.api.signatures import Arguments, Signature, constructor, function_signatures, maker
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.inference.called_objects import called_method
from syncbot.contracts.model import Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContract(Contract):
    """A call of ``symbol``, a method with ``receiver`` and ``name``; ``bound``: the receiver fills the first
    parameter. The result is unpacked into ``unpack`` targets, or ``used``, and ``taken`` where it is not just
    handed on; imports name it by ``aliases``; ``types`` are those of arguments that are no names, ``objects``
    the upstream classes of those that are; ``otherwise``: what the same is given where this raises a
    TypeError, ``in_other_arm`` where a parameter of the function around decides so; ``perhaps``: something
    else may be called; ``caught``: errors after which it goes on."""

    arguments: Arguments
    receiver: str = ""
    name: str = ""
    skip: int = 0
    bound: bool = False
    unpack: int | None = None
    used: bool = True
    taken: bool = False
    awaited: bool = False
    aliases: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    objects: tuple[tuple[str, str], ...] = ()
    otherwise: tuple[Arguments, ...] = ()
    in_other_arm: tuple[Arguments, ...] = ()
    perhaps: bool = False
    caught: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a call in one tree: the defining symbol, its signatures, the functions behind them; those
    that it runs, ``__init__`` included, stand in ``module``, in the class ``owner``."""

    symbol: str
    signatures: tuple[Signature, ...]
    functions: tuple[Function, ...] = ()
    running: tuple[Function, ...] = ()
    module: str = ""
    owner: Symbol | None = None


def called_member(contract: CallContract, owner: Symbol, universe: Universe) -> Member | None:
    """The member of a class that a call of a member reaches."""
    if contract.name == "__call__" and not contract.skip:
        return called_method(universe, owner)
    return universe.member(owner, contract.name, contract.skip)


def defining(contract: CallContract, universe: Universe) -> str | None:
    """The symbol of what :func:`reached` tells, without asking what it takes."""
    if contract.receiver:
        owner = universe.resolve(contract.receiver)
        if owner is None or owner.kind != "class":
            return None
        member = called_member(contract, owner, universe)
        functions = member.functions if member is not None else ()
        return member.symbol if member is not None and functions and not is_property(functions[-1]) else None
    symbol = universe.resolve(contract.symbol)
    if symbol is None or symbol.kind not in ("function", "class"):
        return None
    if symbol.kind == "function":
        return symbol.name
    made = maker(universe, symbol)
    return made.name if made is not None else None


def reached(
    contract: CallContract, universe: Universe, resolve: Callable[[str], Symbol | None]
) -> Target | None:
    """Return what the call reaches in a universe, None where it reaches nothing that can be told."""
    if contract.receiver:
        owner = resolve(contract.receiver)
        if owner is None or owner.kind != "class":
            return None
        member = called_member(contract, owner, universe)
        if member is None:
            return None
        functions = member.functions
        if functions and not is_property(functions[-1]):
            filled = not is_static(functions[-1]) and (contract.bound or is_classmethod(functions[-1]))
            signatures = function_signatures(functions, filled)
            home = member.owner
            return Target(member.symbol, signatures, functions, _running(functions), home.module, home)
        return None
    symbol = resolve(contract.symbol)
    if symbol is None:
        return None
    if symbol.kind == "function":
        functions = symbol.functions
        inside = universe.resolve(symbol.name.rpartition(".")[0]) if "." in symbol.qualname else None
        signatures = function_signatures(functions, contract.bound)
        return Target(symbol.name, signatures, functions, _running(functions), symbol.module, inside)
    if symbol.kind == "class":
        made, known = constructor(universe, symbol), maker(universe, symbol)
        if made is None or known is None or known.owner is None:
            return None if made is None else Target(made[1], made[0])
        return Target(made[1], made[0], (), _running(known.functions), known.owner.module, known.owner)
    return None


def _running(functions: tuple[Function, ...]) -> tuple[Function, ...]:
    """The definitions of a name that run: the stubs of its overloads do not."""
    return tuple(f for f in functions if not any(d.rpartition(".")[2] == "overload" for d in f.decorators))


def reached_in(call: CallContract, pair: Comparison) -> tuple[Target | None, Target | None]:
    """Return what the call reaches in the old tree, and in the new one."""
    return reached(call, pair.old, pair.old.resolve), reached(call, pair.new, pair.now)
