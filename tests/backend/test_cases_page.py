"""The list of docs/simulation.md is that of the cases, and every case is configured."""

from __future__ import annotations

import importlib.util
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


def test_every_file_of_cases_has_one_that_is_configured() -> None:
    specification = importlib.util.spec_from_file_location("cases", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    files = {script.file_of(case).name for case in script.configured()}
    assert len(files) > 20
    assert files == {path.name for path in script.FOLDER.glob("*.py")} - {"__init__.py", "case.py"}
