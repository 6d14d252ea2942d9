"""The stacks in docs/lanes.md are those of the matrix."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.version import Version

from syncbot import config as configuration
from syncbot.lanes import matrix as matrices

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "lanes.md").read_text(encoding="utf-8")


def named(cell: str, version: Version) -> bool:
    """Whether a cell such as a range or ``0.17.1, 0.18.1`` names a version."""
    versions = [Version(text) for text in re.findall(r"[\d.]+", cell)]
    return versions[0] <= version <= versions[-1] if "–" in cell else version in versions  # noqa: RUF001


def test_the_stack_of_every_lane_is_told() -> None:
    config = configuration.load(ROOT)
    table = PAGE.split("\n## Stacks\n")[1]
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in re.findall(r"^\| \d.*\|$", table, re.M)
    ]
    for lane in matrices.load(config.root / config.matrix).lanes:
        [row] = [cells for cells in rows if named(cells[0], lane.version)]
        assert row[1:4] == [lane.stack[name] for name in ("torch", "torch_npu", "transformers")], lane.tag
