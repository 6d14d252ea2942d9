"""docs/lanes.md names every patch, and what each lane undoes is that of the matrix."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from syncbot import config as configuration
from syncbot.lanes import matrix as matrices

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "lanes.md").read_text(encoding="utf-8")
PATCHES = {path.stem for path in (ROOT / "patches").glob("*.yaml")}


def test_every_patch_is_explained_and_no_other() -> None:
    assert set(re.findall(r"`(\d+\.\d+\.\d+-[a-z0-9-]+)`", PAGE)) == PATCHES


def test_what_the_lanes_between_undo() -> None:
    config = configuration.load(ROOT)
    lanes = matrices.load(config.root / config.matrix).lanes
    undone = {
        lane.tag.removeprefix("v"): (set(lane.patches), set(newer.patches)) for newer, lane in pairwise(lanes)
    }
    rows = re.findall(r"^\| (0\.\d+\.\d+) \| (\d+) \| (.*) \|$", PAGE, re.MULTILINE)
    assert [row[0] for row in rows] == list(undone)[list(undone).index("0.26.0") :][: len(rows)]
    for lane, count, named in rows:
        mine, newer = undone[lane]
        assert int(count) == len(mine), lane
        assert set(re.findall(r"`(.*?)`", named)) == mine - newer, lane
