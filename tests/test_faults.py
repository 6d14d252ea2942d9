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


def tried(*arguments: str) -> str:
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_at_many_writes_of_a_command_that_rewrites_sources() -> None:
    told = tried("--stride", str(tries(day=11, nightly=5)), "ungate")
    assert re.match(r"ungate: (\d{2}) points .* (\d+) faults, 0 wrong\n$", told), told


def test_at_some_writes_of_every_command() -> None:
    told = tried("--stride", str(tries(day=83, nightly=41)))
    assert len(re.findall(r"(?m)^[a-z-]+: \d+ points .*, 0 wrong$", told)) == 11, told
