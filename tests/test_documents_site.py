"""The documents become a site: every one has its page, a search finds its words, no link leads nowhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[1]
PROGRAM = ".ci/documents.py"


def made(root: Path, output: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / PROGRAM, output], cwd=root, capture_output=True, text=True, timeout=300
    )


def test_every_document_has_a_page_and_is_found(tmp_path: Path) -> None:
    done = made(ROOT, tmp_path)
    assert done.returncode == 0, done.stderr
    site = Path(done.stdout.strip())
    for document in (*ROOT.glob("docs/*.md"), *ROOT.glob("backend/docs/*.md")):
        page = document.relative_to(ROOT).with_suffix(".html")
        assert (site / (page.with_name("index.html") if page.stem == "README" else page)).is_file(), document
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    assert any("gate_import" in entry["text"] for entry in index["docs"])
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="docs/begin.html"' in text
    assert "fonts.googleapis" not in text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with two documents."""
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / ".ci").mkdir()
    shutil.copy(ROOT / PROGRAM, root / PROGRAM)
    shutil.copytree(ROOT / "docs/theme", root / "docs/theme")
    configuration = (ROOT / "docs/mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[0]
    (root / "docs/mkdocs.yml").write_text(f"{configuration}\nnav:\n  - README.md\n  - docs/one.md\n")
    (root / "README.md").write_text("# Start\n\n[one](docs/one.md#two) [data](data.tsv)\n")
    (root / "data.tsv").write_text("a\tb\n")
    (root / "docs/one.md").write_text("# One\n\n## Two\n")
    subprocess.run(["git", "init", "--quiet", root], check=True)
    return root


def test_a_file_that_is_linked_is_beside_the_pages(project: Path) -> None:
    done = made(project, project / "build")
    assert done.returncode == 0, done.stderr
    assert (Path(done.stdout.strip()) / "data.tsv").read_text() == "a\tb\n"


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("README.md", "# Start\n\n[one](docs/gone.md)\n", "docs/gone.md"),
        ("README.md", "# Start\n\n[one](docs/one.md#three)\n", "#three"),
        ("README.md", "# Start\n\n[one](gone.tsv)\n", "gone.tsv"),
        ("docs/three.md", "# Three\n", "docs/three.md"),
    ],
    ids=["page", "anchor", "file", "left out of the navigation"],
)
def test_what_leads_nowhere_is_an_error(project: Path, file: str, text: str, told: str) -> None:
    (project / file).write_text(text)
    done = made(project, project / "build")
    assert done.returncode == 1
    assert told in done.stderr
