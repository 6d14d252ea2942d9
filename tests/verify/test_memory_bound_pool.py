"""Lanes are verified side by side, each in a process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from syncbot.verify.memory_bound_pool import room, run_all


def test_every_line_is_told_and_every_exit_code_returned() -> None:
    script = "import sys; print('lane', sys.argv[1]); sys.exit(int(sys.argv[1]))"
    lines: list[str] = []
    codes = run_all([[sys.executable, "-c", script, str(i)] for i in (0, 3, 1)], 2, lines.append)
    assert codes == [0, 3, 1]
    assert sorted(lines) == ["lane 0", "lane 1", "lane 3"]


@pytest.mark.parametrize(("available", "expected"), [(9 << 20, 2), (3 << 20, 1), (0, 1)])
def test_there_is_room_for_as_many_as_fit(tmp_path: Path, available: int, expected: int) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text(f"MemTotal: 99999999 kB\nMemAvailable: {available} kB\n")
    assert room(4 << 30, meminfo) == expected


def test_without_that_file_half_of_the_memory_counts(tmp_path: Path) -> None:
    assert room(1 << 20, tmp_path / "none") > 1
