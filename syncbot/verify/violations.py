"""Finds the uses in the backend that one upstream tree breaks, with the backend's version tests decided."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.contracts.model import Verdict
from syncbot.contracts.registry import audit_of
from syncbot.impact.contract_findings import findings
from syncbot.impact.trees import Trees


@dataclass(frozen=True, slots=True, order=True)
class Violation:
    """A place of the backend, and what a tree lacks of what it relies on."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


def violations(trees: Trees, commit: str) -> tuple[Violation, ...]:
    """Return the violations of a commit's tree, sorted. Code that the project's own version test turns off
    there is not checked; a commit without a version's tag is none of the versions that are tested."""
    universe = trees.universe(trees.tree(commit))
    found: set[Violation] = set()
    for contract in trees.contracts(universe, commit):
        audit = audit_of(contract)
        place = contract.place.location
        for message in audit(contract, universe) if audit is not None else ():
            found.add(Violation(place.file, place.line, place.column, message))
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class Held:
    """The uses that hold on another tree and that this one breaks, and those that it puts at risk."""

    breaks: tuple[Violation, ...]
    at_risk: tuple[Violation, ...]


def held_against(trees: Trees, other: str, commit: str, name: str) -> Held:
    """Return the uses that hold on the tree of ``other`` and that the tree of ``commit`` breaks or puts at
    risk, each sorted: a value that shifts to another parameter, an attribute, an operator. No single tree
    shows these. ``name`` is the name of the other tree in messages."""
    found: dict[Verdict, set[Violation]] = {Verdict.BREAKS: set(), Verdict.AT_RISK: set()}
    for finding in findings(trees, other, commit):
        if finding.verdict in found:
            place = finding.contract.place.location
            message = f"{finding.reason} (held against {name})"
            found[finding.verdict].add(Violation(place.file, place.line, place.column, message))
    return Held(tuple(sorted(found[Verdict.BREAKS])), tuple(sorted(found[Verdict.AT_RISK])))
