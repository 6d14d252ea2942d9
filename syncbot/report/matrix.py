"""The matrix for people: the lanes with their stacks, and every check of every lane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from syncbot.lanes.matrix import Lane, Matrix, Shown
from syncbot.report.untrusted_text import prose, table

_EMOJI: dict[Shown, str] = {"pass": "✅", "fail": "❌", "stale": "stale", "unsupported": "-", "unknown": "?"}
_STATES = tuple(_EMOJI)
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


def lanes(matrix: Matrix, known: Collection[str] = ()) -> Grid:
    """A row for each lane: wheel, Python, stack, what replaced parts of it, patches, the tier that it claims,
    and its claimed checks, of which the configured ones are ``known``."""
    stack = list(dict.fromkeys(name for lane in matrix for name in lane.stack))
    other, tiers = any(lane.simulated_with for lane in matrix), bool(matrix.tiers)
    rows = []
    for lane in newest_first(matrix):
        tag = f"{lane.tag} (baseline)" if lane.tag == matrix.baseline else lane.tag
        versions = [lane.stack.get(name) or "unknown" for name in stack]
        versions += [_instead(lane)] * other
        rest = [str(len(lane.patches)), *[lane.claimed or "all"] * tiers, _counted(matrix, lane, known)]
        rows.append((tag, lane.wheel, lane.python, *versions, *rest))
    replaced, claims = ["simulated with"] * other, ["claimed"] * tiers
    head = (matrix.upstream, "wheel", "python", *stack, *replaced, "patches", *claims, "checks")
    return Grid(head, tuple(rows))


def summary(matrix: Matrix, known: Collection[str] = ()) -> Grid:
    """A row for each lane: its tier, how many checks it claims, how many of them have which status, and the
    day of its oldest evidence of them; and a row for each tier."""
    rows = []
    total: dict[str, Counter[Shown]] = {}
    for lane in newest_first(matrix):
        tag = f"{lane.tag} (baseline)" if lane.tag == matrix.baseline else lane.tag
        claimed = matrix.claimed(lane, known)
        counts = Counter(lane.shown(check) for check in claimed)
        total.setdefault(lane.claimed or "all", Counter()).update(counts)
        known_checks = [lane.checks[check] for check in claimed if check in lane.checks]
        days = [evidence.date[:10] for evidence in known_checks if evidence.date]
        rows.append((tag, lane.claimed or "all", *_numbers(counts), min(days, default="")))
    of_tiers = [("all lanes", tier, *_numbers(counts), "") for tier, counts in total.items()]
    words = tuple(_WORDS.get(state, state) for state in _STATES)
    return Grid((matrix.upstream, "tier", "claimed", *words, "oldest"), (*of_tiers, *rows))


def _numbers(counts: Counter[Shown]) -> tuple[str, ...]:
    return str(counts.total()), *(str(counts[state] or "") for state in _STATES)


def checks(
    matrix: Matrix, among: Sequence[Lane], mark: Callable[[Shown], str], known: Collection[str] = ()
) -> Grid:
    """Return a row for each check that a lane claims, with its mark on each of the lanes that claim it."""
    claimed = {lane.tag: {*matrix.claimed(lane, known)} for lane in matrix}
    names = sorted({name for found in claimed.values() for name in found})
    rows = tuple(
        (name, *(mark(lane.shown(name)) if name in claimed[lane.tag] else "" for lane in among))
        for name in names
    )
    return Grid(("check", *(str(lane.version) for lane in among)), rows)


def as_markdown(matrix: Matrix, known: Collection[str] = ()) -> str:
    """Return two Markdown tables: the lanes, and every claimed check of every lane."""
    shown = [lanes(matrix, known)]
    if (cells := checks(matrix, newest_first(matrix), _EMOJI.__getitem__, known)).rows:
        shown.append(cells)
    return "\n".join(_markdown(grid) for grid in shown)


def for_terminal(matrix: Matrix, console: Console, known: Collection[str] = ()) -> Iterator[Table]:
    """Yield the same for a console: of the checks as many tables as its width asks for."""
    yield _table(lanes(matrix, known))
    among = newest_first(matrix)
    names = [row[0] for row in checks(matrix, among, _COLOURED.__getitem__, known).rows]
    if not names:
        return
    wide = max(len(str(lane.version)) for lane in among) + _EDGES
    left = console.width - max(map(len, names)) - _EDGES
    fitting = max(1, left // max(wide, len("stale") + _EDGES))
    for first in range(0, len(among), fitting):
        yield _table(checks(matrix, among[first : first + fitting], _COLOURED.__getitem__, known))


def summary_table(matrix: Matrix, known: Collection[str] = ()) -> Table:
    """The summary for a console, which fits into 100 columns."""
    shown = _table(summary(matrix, known))
    shown.padding = (0, 1, 0, 0)
    return shown


def _instead(lane: Lane) -> str:
    return ", ".join(f"{name} {version}" for name, version in (lane.simulated_with or {}).items())


def _counted(matrix: Matrix, lane: Lane, known: Collection[str]) -> str:
    counts = Counter(lane.shown(check) for check in matrix.claimed(lane, known))
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
