"""An overlay's debt held against the static check of a lane, and recorded from one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from syncbot.lanes.debt import Debt, Entry
from syncbot.verify.copied_bodies import Drift
from syncbot.verify.static_check import Problem, StaticResult


@dataclass(frozen=True, slots=True)
class Settled:
    """The findings of a lane's static check: ``owed`` by the package itself, ``beyond`` that, and copies
    ``left`` behind beyond the debt. ``expired`` are the entries that no longer count since upstream defines
    their symbols otherwise, by the problem."""

    owed: tuple[Entry, ...]
    beyond: tuple[Problem, ...]
    left: tuple[Drift, ...]
    expired: dict[str, Entry]

    def lines(self) -> tuple[str, ...]:
        """Return the problems beyond the debt, one line each."""
        return tuple(
            f"{problem} (debt {self.expired[str(problem)].id} until upstream changed it)"
            if str(problem) in self.expired
            else str(problem)
            for problem in self.beyond
        )


def settled(debt: Debt, checked: StaticResult) -> Settled:
    """Hold a lane's static check against the debt."""
    known = {entry.id: entry for entry in debt.findings}
    owed, beyond, left, expired = [], [], [], {}
    for name, problem in _named(checked.problems):
        entry = known.get(name)
        if entry is not None and problem.definition in entry.definitions.values():
            owed.append(entry)
            continue
        beyond.append(problem)
        if entry is not None:
            expired[str(problem)] = entry
    for name, drift in _copies(checked.drifts):
        entry = known.get(name)
        if entry is not None and drift.definition in entry.definitions.values():
            owed.append(entry)
        else:
            left.append(drift)
    return Settled(tuple(owed), tuple(beyond), tuple(left), expired)


def recorded(before: Debt, checked: StaticResult, version: str, accept: Sequence[str] | None = None) -> Debt:
    """The debt with what the static check of ``version`` found: all of it, and nothing else that is of this
    version alone, or only the findings with the ids ``accept``. What somebody wrote of an entry stays."""
    found = {each.id: each for each in _entries(checked, version) if accept is None or each.id in accept}
    kept = {
        each.id: each for each in before.findings if accept is not None or {*each.definitions} - {version}
    }
    known = {each.id: each for each in before.findings}
    merged = {name: _merged(known.get(name), entry) for name, entry in found.items()}
    entries = {**kept, **merged}.values()
    return Debt(findings=tuple(sorted(entries, key=lambda each: (each.kind, each.place, each.message))))


def _merged(old: Entry | None, new: Entry) -> Entry:
    """An entry found again: what somebody wrote of it stays."""
    if old is None:
        return new
    return old.model_copy(update={"definitions": {**old.definitions, **new.definitions}})


def named(checked: StaticResult) -> dict[str, str]:
    """The ids of findings, by the line that tells each."""
    problems = {str(problem): name for name, problem in _named(checked.problems)}
    return problems | {drift.lines()[0]: name for name, drift in _copies(checked.drifts)}


def _entries(checked: StaticResult, version: str) -> Iterator[Entry]:
    for name, problem in _named(checked.problems):
        yield Entry(
            id=name, kind="contract", place=f"{problem.file}:{problem.line}", symbol=problem.symbol,
            message=problem.message, definitions={version: problem.definition},
        )  # fmt: skip
    for name, drift in _copies(checked.drifts):
        yield Entry(
            id=name, kind="copy", place=f"{drift.file}:{drift.line}", symbol=drift.symbol,
            message=f"a copy of {drift.symbol}() of {drift.base}, changed since",
            definitions={version: drift.definition},
        )  # fmt: skip


def _named(problems: Iterable[Problem]) -> Iterator[tuple[str, Problem]]:
    """Problems with their ids, which do not depend on lines: patches move them."""
    seen = Counter[tuple[str, str]]()
    for problem in sorted(problems):
        key = (problem.file, problem.message)
        yield _id(*key, str(seen[key])), problem
        seen[key] += 1


def _copies(drifts: Iterable[Drift]) -> Iterator[tuple[str, Drift]]:
    for drift in drifts:
        yield _id(drift.file, drift.symbol, str(drift.base)), drift


def _id(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:10]
