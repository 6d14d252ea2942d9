"""The backend's README names every part of the package, and no file that is not there."""

from __future__ import annotations

import re
from pathlib import Path

BACKEND = Path(__file__).parents[2] / "backend"
PACKAGE = BACKEND / "src" / "ascend_backend"
README = (BACKEND / "README.md").read_text(encoding="utf-8")


def named(column: int, heading: str) -> set[str]:
    """The paths in a column of the table below a heading."""
    table = README.split(heading)[1].split("\n## ")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    return {path for row in rows for path in re.findall(r"`([a-z0-9_./]+(?:\.py|/))`", row[column])}


def test_both_tables_name_files_that_exist() -> None:
    ours, theirs = named(1, "## What each part overrides"), named(2, "## For those who know")
    assert len(ours) > 25
    assert len(theirs) > 20
    assert [path for path in ours | theirs if not (PACKAGE / path).exists()] == []


def test_every_module_is_named_or_its_folder_is() -> None:
    ours = named(1, "## What each part overrides")
    modules = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"}
    folders = tuple(path for path in ours if path.endswith("/"))
    assert {path for path in modules - ours if not path.startswith(folders)} == set()
    assert {path.partition("/")[0] + "/" for path in modules if "/" in path} >= set(folders)
