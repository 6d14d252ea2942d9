"""Finds the uses in changed files that one upstream tree breaks and that the files did not have before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from syncbot.api.universe import Universe
from syncbot.contracts.conditions.gated_code import GatedCode
from syncbot.contracts.conditions.guards import VersionTests
from syncbot.contracts.discovery import FileFinder
from syncbot.contracts.model import Contract, Location
from syncbot.contracts.registry import audit_of
from syncbot.contracts.sources import Backend
from syncbot.impact.accelerator import Accelerator
from syncbot.impact.trees import Trees
from syncbot.verify.violations import Violation, violations


class _OthersRelyOnNothing(Accelerator):
    """Lets only some files of a backend be walked."""

    def __init__(self, backend: Backend, walked: Set[str]) -> None:
        self._others: dict[str, Sequence[Contract]] = {
            file.path: () for file in backend.files if file.path not in walked
        }

    def kept(self, universe: Universe, /) -> Mapping[str, Sequence[Contract]]:
        """All others, without contracts."""
        return self._others


def new_violations(trees: Trees, commit: str, before: Mapping[str, bytes | None]) -> tuple[Violation, ...]:
    """Return the violations of a commit's tree that files have now and did not have before, sorted.
    ``before`` has the former text by path of each changed file, None for a new one. Only these files are
    walked; if they show a violation, files that contain the symbol's name are walked too: a test of the
    version or a replacement there may excuse it."""
    shown = list(_lacking(trees, commit, before.keys()))
    if shown:
        files = [
            replace(file, text=text) if (text := before.get(file.path)) is not None else file
            for file in trees.backend.files
            if before.get(file.path, b"") is not None
        ]
        former = trees.with_backend(replace(trees.backend, files=tuple(files)), Accelerator())
        known = Counter((found.file, found.message) for found, _ in _lacking(former, commit, before.keys()))
        shown = [(found, name) for found, name in shown if not _taken(known, (found.file, found.message))]
    if not shown:
        return ()
    words = {name.rpartition(".")[2].encode() for _, name in shown}
    concerned = {
        f.path for f in trees.backend.files if f.path in before or any(word in f.text for word in words)
    }
    accurate = trees.with_backend(trees.backend, _OthersRelyOnNothing(trees.backend, concerned))
    sure = {found for found, _ in shown} & set(violations(accurate, commit))
    # A test of the version that nobody configured was false there: it may be true.
    tested = GatedCode(trees.backend, VersionTests(otherwise=True))
    return tuple(sorted(v for v in sure if not tested.is_off(Location(v.file, v.line, v.column))))


def _taken(known: Counter[tuple[str, str]], fault: tuple[str, str]) -> bool:
    """Whether one such fault that was known is left; it is taken away."""
    known[fault] -= 1
    return known[fault] >= 0


def _lacking(trees: Trees, commit: str, paths: Set[str]) -> Iterator[tuple[Violation, str]]:
    """Yield the violations of some files in a commit's tree, each with its symbol, as if all code ran."""
    universe = trees.universe(trees.tree(commit))
    finder = FileFinder(trees.backend, universe, trees.packages, trees.knowledge, trees.own_names())
    for file in trees.backend.files:
        if file.path not in paths:
            continue
        try:
            contracts = finder.found(file).contracts
        except RecursionError:
            # Nested too deeply to be walked: `check` says so of the file.
            continue
        for contract in contracts:
            audit, place = audit_of(contract), contract.place.location
            for message in audit(contract, universe) if audit is not None else ():
                yield Violation(place.file, place.line, place.column, message), contract.symbol
