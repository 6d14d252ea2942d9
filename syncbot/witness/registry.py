"""Makers of programs, found by registration: one module in :mod:`syncbot.witness.programs` each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Contract, Finding
from syncbot.package_modules import import_all
from syncbot.witness.model import NotWitnessable, Program

Maker = Callable[[Any, Finding, Comparison], Program]
M = TypeVar("M", bound=Maker)

_PROGRAMS = "syncbot.witness.programs"
_makers: dict[type[Contract], Maker] = {}


def maker(*contracts: type[Contract]) -> Callable[[M], M]:
    """Register ``(contract, finding, pair) -> program`` for kinds of contract. It raises NotWitnessable."""

    def register(function: M) -> M:
        _makers.update(dict.fromkeys(contracts, function))
        return function

    return register


def program_of(finding: Finding, pair: Comparison) -> Program:
    """The witness of a finding. Raises NotWitnessable."""
    import_all(_PROGRAMS)
    make = _makers.get(type(finding.contract))
    if make is None:
        kind = finding.contract.kind.replace("-", " ")
        raise NotWitnessable(f"nothing that imports upstream alone can show what concerns a {kind}")
    return make(finding.contract, finding, pair)
