"""The list of cases is true, and every case is configured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "cases.py"
PAGE = "docs/cases.md"


def test_the_page_lists_what_there_is(tmp_path: Path) -> None:
    copy, kept = tmp_path / "page.md", (ROOT / PAGE).read_text(encoding="utf-8")
    copy.write_text(kept, encoding="utf-8")
    subprocess.run([sys.executable, SCRIPT, "--write", copy], check=True)
    assert copy.read_text(encoding="utf-8") == kept, f"run: python benchmarks/cases.py --write {PAGE}"


def test_every_case_that_is_registered_is_configured_and_no_other() -> None:
    look = "import json, cases; print(json.dumps([sorted(cases.registered()), sorted(cases.configured())]))"
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=SCRIPT.parent, check=True, capture_output=True, text=True
    )
    registered, configured = json.loads(done.stdout)
    assert len(registered) > 20
    assert registered == configured
