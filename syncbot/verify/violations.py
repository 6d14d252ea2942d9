"""Finds the uses in the backend that one upstream tree breaks, with the backend's version tests decided."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.contracts.conditions.guards import may_run
from syncbot.contracts.conditions.version_helpers import version_helpers
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


@dataclass(frozen=True, slots=True)
class Judged:
    """The uses that a tree breaks, and those that it puts at risk; each sorted."""

    breaks: tuple[Violation, ...]
    at_risk: tuple[Violation, ...]


def violations(trees: Trees, commit: str) -> tuple[Violation, ...]:
    """Return the uses that a commit's tree breaks, as :func:`alone` has them."""
    return alone(trees, commit).breaks


def alone(trees: Trees, commit: str) -> Judged:
    """Return the violations of a commit's tree. Code that the project's own version test turns off there is
    not checked; a commit without a version's tag is none of the versions that are tested. What stands under a
    test of the version that cannot be read is a risk."""
    universe = trees.universe(trees.tree(commit))
    version, _ = trees.versions(commit, commit)
    helpers = version_helpers(trees.backend.files)
    found: dict[bool, set[Violation]] = {False: set(), True: set()}
    for contract in trees.contracts(universe, commit):
        audit = audit_of(contract)
        place, guards = contract.place.location, contract.place.guards
        package = contract.symbol.partition(".")[0]
        for message in audit(contract, universe) if audit is not None else ():
            unread = version is not None and may_run(guards, version, package, helpers) is None
            told = f"{message}; it stands under a test of the version" if unread else message
            found[unread].add(Violation(place.file, place.line, place.column, told))
    return Judged(tuple(sorted(found[False])), tuple(sorted(found[True])))


def held_against(trees: Trees, other: str, commit: str, name: str) -> Judged:
    """Return the uses that hold on the tree of ``other`` and that the tree of ``commit`` breaks or puts at
    risk, each sorted: a value that shifts to another parameter, an attribute, an operator. No single tree
    shows these. ``name`` is the name of the other tree in messages."""
    found: dict[Verdict, set[Violation]] = {Verdict.BREAKS: set(), Verdict.AT_RISK: set()}
    for finding in findings(trees, other, commit):
        if finding.verdict in found:
            place = finding.contract.place.location
            message = f"{finding.reason} (held against {name})"
            found[finding.verdict].add(Violation(place.file, place.line, place.column, message))
    return Judged(tuple(sorted(found[Verdict.BREAKS])), tuple(sorted(found[Verdict.AT_RISK])))
