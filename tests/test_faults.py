"""A fault at some of the writes of each command that writes; ``benchmarks/faults.py`` tries all of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.budget import tries

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).parents[1] / "benchmarks/faults.py"


def test_at_some_writes_of_every_command_and_at_many_of_one_that_rewrites_sources() -> None:
    # By day at one write of each command in each mode, beginning, middle and end.
    strides = (
        "--stride",
        str(tries(day=250, nightly=41)),
        "--stride-of",
        f"ungate={tries(day=9, nightly=5)}",
    )
    done = subprocess.run([sys.executable, SCRIPT, *strides], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"(?m)^[a-z-]+: \d+ points .*, 0 wrong$", done.stdout)) == 11, done.stdout
    assert re.search(r"(?m)^ungate: \d{2} points .* ([5-9]|\d{2}) faults", done.stdout), done.stdout
