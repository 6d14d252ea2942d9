"""The matrix as a heat map: lanes by checks, in groups; a case has one cell for all its runners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from syncbot.lanes.matrix import Lane, Matrix, Shown
from syncbot.report.matrix import newest_first

#: How many columns a group has at most: on a phone, the cells of more would be too narrow for a finger.
WIDEST = 13

_CELLS = 1300  # More would not fit into a page.
_COLUMNS, _PARTS = 44, 10  # What fits beside each other on a wide screen.


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases that a project simulates: the runners of each, and the groups that readers see cases in."""

    runners: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One check; ``runner`` is empty where it is no simulated run."""

    check: str
    runner: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column, with one cell for each lane: a case on all its runners, or another check."""

    name: str
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Columns that stand together; the name is empty for checks that are no cases, None for other cases."""

    name: str | None
    columns: tuple[Column, ...]
    part: int = 1


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The lanes that have a row, newest first, those that have none, and the groups from left to right."""

    lanes: tuple[Lane, ...]
    left_out: tuple[Lane, ...]
    groups: tuple[Group, ...]

    @property
    def fits_a_row(self) -> bool:
        """Whether all groups fit beside each other on a wide screen."""
        columns = sum(len(group.columns) for group in self.groups)
        return columns <= _COLUMNS and len(self.groups) <= _PARTS

    def shown(self, matrix: Matrix, lane: Lane) -> list[Shown | None]:
        """The states of all checks on a lane, None for those that it does not claim."""
        runs = (run for group in self.groups for each in group.columns for run in each.runs)
        return [lane.shown(run.check) if matrix.claims(lane, run.check) else None for run in runs]


def heat_map(matrix: Matrix, cases: Cases) -> HeatMap:
    """The heat map of a matrix. Groups and their cases are in the order of the configuration; checks that are
    no cases come first."""
    groups = tuple(part for group in _groups(matrix, cases) for part in _parts(group))
    lanes = newest_first(matrix)
    most = max(_CELLS // max(sum(len(group.columns) for group in groups), 1), 1)
    return HeatMap(tuple(lanes[:most]), tuple(lanes[most:]), groups)


def _groups(matrix: Matrix, cases: Cases) -> Iterator[Group]:
    known = set(matrix.checks())
    columns: dict[str, Column] = {}
    for case, runners in cases.runners.items():
        runs = tuple(Run(f"simulate-{case}-{runner}", runner) for runner in runners)
        if any(run.check in known or _refused(matrix, run.check) for run in runs):
            columns[case] = Column(case, runs)
    simulated = {run.check for column in columns.values() for run in column.runs}
    grouped = {case for members in cases.groups.values() for case in members}
    others = (Column(check, (Run(check),)) for check in matrix.checks() if check not in simulated)
    found = [Group("", tuple(others))]
    for name, members in cases.groups.items():
        found.append(Group(name, tuple(columns[case] for case in members if case in columns)))
    found.append(Group(None, tuple(column for case, column in columns.items() if case not in grouped)))
    yield from (group for group in found if group.columns)


def _refused(matrix: Matrix, check: str) -> bool:
    return any(lane.refuses(check) and matrix.claims(lane, check) for lane in matrix)


def _parts(group: Group) -> Iterator[Group]:
    for part, at in enumerate(range(0, len(group.columns), WIDEST), 1):
        yield Group(group.name, group.columns[at : at + WIDEST], part)
