"""The lists of docs/simulation.md and of the plugin's faults are true, and every case is configured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "cases.py"
LISTS = {"cases": "docs/simulation.md", "plugin_faults": "docs/evidence/published-plugin.md"}


@pytest.mark.parametrize(("script", "page"), LISTS.items())
def test_the_page_lists_what_there_is(tmp_path: Path, script: str, page: str) -> None:
    copy, kept = tmp_path / "page.md", (ROOT / page).read_text()
    copy.write_text(kept)
    subprocess.run([sys.executable, ROOT / "benchmarks" / f"{script}.py", "--write", copy], check=True)
    assert copy.read_text() == kept, f"run: python benchmarks/{script}.py --write {page}"


def test_every_case_that_is_registered_is_configured_and_no_other() -> None:
    look = "import json, cases; print(json.dumps([sorted(cases.registered()), sorted(cases.configured())]))"
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=SCRIPT.parent, check=True, capture_output=True, text=True
    )
    registered, configured = json.loads(done.stdout)
    assert len(registered) > 20
    assert registered == configured
