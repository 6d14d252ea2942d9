"""The matrix for people: the lanes with their stacks, and every check of every lane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from syncbot.lanes.matrix import Lane, Matrix, Shown
from syncbot.report.untrusted_text import prose, table

_EMOJI: dict[Shown, str] = {"pass": "✅", "fail": "❌", "stale": "stale", "unsupported": "-", "unknown": "?"}
_COLOURED: dict[Shown, str] = {
    "pass": "[green]pass[/]",
    "fail": "[bold red]fail[/]",
    "stale": "[yellow]stale[/]",
    "unsupported": "[dim]-[/]",
    "unknown": "[dim]?[/]",
}
_WORDS: dict[Shown, str] = {"pass": "passed", "fail": "failed"}
_EDGES = 3


@dataclass(frozen=True, slots=True)
class Grid:
    """A table in words: its head, and rows as long as the head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def newest_first(lanes: Iterable[Lane]) -> list[Lane]:
    """Return the lanes, the newest upstream version first."""
    return sorted(lanes, key=lambda lane: lane.version, reverse=True)


def lanes(matrix: Matrix) -> Grid:
    """A row for each lane: wheel, Python, stack, what replaced parts of it, patches, and its checks."""
    stack = list(dict.fromkeys(name for lane in matrix for name in lane.stack))
    checks = matrix.checks()
    other = any(lane.simulated_with for lane in matrix)
    rows = []
    for lane in newest_first(matrix):
        tag = f"{lane.tag} (baseline)" if lane.tag == matrix.baseline else lane.tag
        versions = [lane.stack.get(name) or "unknown" for name in stack]
        versions += [_instead(lane)] * other
        rows.append((tag, lane.wheel, lane.python, *versions, str(len(lane.patches)), _counted(lane, checks)))
    head = (matrix.upstream, "wheel", "python", *stack, *["simulated with"] * other, "patches", "checks")
    return Grid(head, tuple(rows))


def checks(matrix: Matrix, among: Sequence[Lane], mark: Callable[[Shown], str]) -> Grid:
    """Return a row for each check, with its mark on each of the lanes."""
    rows = tuple((check, *(mark(lane.shown(check)) for lane in among)) for check in matrix.checks())
    return Grid(("check", *(str(lane.version) for lane in among)), rows)


def as_markdown(matrix: Matrix) -> str:
    """Return two Markdown tables: the lanes, and every check of every lane."""
    shown = [lanes(matrix)]
    if matrix.checks():
        shown.append(checks(matrix, newest_first(matrix), _EMOJI.__getitem__))
    return "\n".join(_markdown(grid) for grid in shown)


def for_terminal(matrix: Matrix, console: Console) -> Iterator[Table]:
    """Yield the same for a console: of the checks as many tables as its width asks for."""
    yield _table(lanes(matrix))
    names = matrix.checks()
    if not names:
        return
    among = newest_first(matrix)
    wide = max(len(str(lane.version)) for lane in among) + _EDGES
    left = console.width - max(map(len, names)) - _EDGES
    fitting = max(1, left // max(wide, len("stale") + _EDGES))
    for first in range(0, len(among), fitting):
        yield _table(checks(matrix, among[first : first + fitting], _COLOURED.__getitem__))


def _instead(lane: Lane) -> str:
    return ", ".join(f"{name} {version}" for name, version in (lane.simulated_with or {}).items())


def _counted(lane: Lane, checks: Sequence[str]) -> str:
    counts = Counter(lane.shown(check) for check in checks)
    told = [f"{counts[status]} {_WORDS.get(status, status)}" for status in _EMOJI if counts[status]]
    return ", ".join(told) or "none"


def _markdown(grid: Grid) -> str:
    return table([_cell(text) for text in grid.head], [[*map(_cell, row)] for row in grid.rows]) + "\n"


def _cell(text: str) -> str:
    # Behind a bar, a > is no markup, and requirements are read in the raw text too.
    return prose(text).replace("\\>", ">")


def _table(grid: Grid) -> Table:
    """A table in which only the marks of checks are read as rich's markup."""
    coloured = frozenset(_COLOURED.values())
    table = Table(box=box.SIMPLE, pad_edge=False)
    for column in grid.head:
        table.add_column(Text(column))
    for row in grid.rows:
        table.add_row(*(cell if cell in coloured else Text(cell) for cell in row))
    return table
