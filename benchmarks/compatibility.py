"""The tables of lanes in README.md and docs/versions.md, from compat_matrix.yaml.

``python benchmarks/compatibility.py`` writes both pages. ``syncbot matrix --all`` shows every check.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from syncbot import config as configuration
from syncbot.lanes import matrix as matrices
from syncbot.report import matrix as tables
from syncbot.verify.configured_checks import configured_checks

ROOT = Path(__file__).parents[1]
NEWEST = 4
COLUMNS = ("vllm", "torch", "torch_npu", "transformers", "patches", "checks")
ALL_COLUMNS = ("vllm", "python", *COLUMNS[1:-1], "claimed", "checks")
_TABLES = re.compile(r"(?<=<!-- matrix -->\n).*(?=<!-- /matrix -->)", re.DOTALL)


def table(grid: tables.Grid, columns: Sequence[str], count: int | None = None) -> str:
    """The newest lanes, all of them without a count, as a Markdown table of these columns."""
    kept = [grid.head.index(column) for column in columns]
    rows = [columns, ("---",) * len(columns), *([row[at] for at in kept] for row in grid.rows[:count])]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Write the tables into the pages."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    matrix = matrices.load(ROOT / "compat_matrix.yaml")
    known = configured_checks(configuration.load(ROOT))
    grid = tables.lanes(matrix, known)
    pages = {"README.md": table(grid, COLUMNS, NEWEST), "docs/versions.md": table(grid, ALL_COLUMNS)}
    for name, shown in pages.items():
        page = ROOT / name
        page.write_text(_TABLES.sub(shown, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
