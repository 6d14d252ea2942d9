"""The tables of lanes and checks in README.md and docs/evidence/compatibility.md, from compat_matrix.yaml.

``python benchmarks/compatibility.py`` writes both pages.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from syncbot import config as configuration
from syncbot.lanes import matrix as matrices
from syncbot.report import matrix as tables
from syncbot.workflows.current_checks import configured_checks

ROOT = Path(__file__).parents[1]
NEWEST = 4
COLUMNS = ("vllm", "torch", "torch_npu", "transformers", "patches", "checks")
_TABLES = re.compile(r"(?<=<!-- matrix -->\n).*(?=<!-- /matrix -->)", re.DOTALL)


def newest(matrix: matrices.Matrix, known: Sequence[str]) -> str:
    """The newest lanes as a Markdown table of the columns that most readers ask for."""
    grid = tables.lanes(matrix, known)
    kept = [grid.head.index(column) for column in COLUMNS]
    rows = [COLUMNS, ("---",) * len(COLUMNS), *([row[at] for at in kept] for row in grid.rows[:NEWEST])]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Write the tables into the pages."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    matrix = matrices.load(ROOT / "compat_matrix.yaml")
    known = configured_checks(configuration.load(ROOT))
    pages = {
        "README.md": newest(matrix, known),
        "docs/evidence/compatibility.md": tables.as_markdown(matrix, known),
    }
    for name, shown in pages.items():
        page = ROOT / name
        page.write_text(_TABLES.sub(shown, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
