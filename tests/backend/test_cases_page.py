"""The list of docs/simulation.md is that of the cases, and every case is configured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "cases.py"
PAGE = ROOT / "docs" / "simulation.md"


def test_the_page_lists_the_cases_as_they_are(tmp_path: Path) -> None:
    copy = tmp_path / "simulation.md"
    copy.write_bytes(PAGE.read_bytes())
    subprocess.run([sys.executable, SCRIPT, "--write", copy], check=True)
    assert copy.read_text() == PAGE.read_text(), "run: python benchmarks/cases.py --write docs/simulation.md"


def test_every_case_that_is_registered_is_configured_and_no_other() -> None:
    look = "import json, cases; print(json.dumps([sorted(cases.registered()), sorted(cases.configured())]))"
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=SCRIPT.parent, check=True, capture_output=True, text=True
    )
    registered, configured = json.loads(done.stdout)
    assert len(registered) > 20
    assert registered == configured
