"""The documents as a site with search: every Markdown file that git tracks, and the files that they link to.

usage: python .ci/documents.py [OUTPUT]

Writes it to OUTPUT (build/documents) and prints where. A link or an anchor that leads nowhere, and a page
that the navigation (docs/mkdocs.yml) leaves out, end it with an error.
"""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

ROOT = Path(__file__).resolve().parents[1]
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
#: Texts that become pages somewhere else: templates, and data of tests.
NO_PAGES = ("syncbot/", "tests/")


def pages(root: Path) -> list[Path]:
    """Return the Markdown files below a checkout that are documents, relative to it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=root, check=True, capture_output=True, text=True,
    )  # fmt: skip
    names = (name for name in listed.stdout.split("\0") if name and not name.startswith(NO_PAGES))
    return [Path(name) for name in sorted(names) if (root / name).is_file()]


def linked(root: Path, documents: Iterable[Path]) -> Iterator[Path]:
    """Yield the files that documents link to and that are no documents: they are copied as they are."""
    for document in documents:
        text = CODE.sub("", (root / document).read_text(encoding="utf-8"))
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            if "://" not in target:
                file = (root / document.parent / target).resolve()
                if file.is_file() and file.suffix != ".md" and file.is_relative_to(root):
                    yield file.relative_to(root)


def site(root: Path, output: Path) -> Path:
    """Return the folder of the pages, made anew below ``output``. Raises Abort where a link leads nowhere."""
    shutil.rmtree(output, ignore_errors=True)
    documents = pages(root)
    for file in {*documents, *linked(root, documents)}:
        copy = output / "pages" / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / file, copy)
    made = output / "site"
    build(load_config(
        str(root / "docs" / "mkdocs.yml"), docs_dir=str(output / "pages"), site_dir=str(made), strict=True
    ))  # fmt: skip
    return made


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        print(site(ROOT, Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/documents").resolve()))
    except Abort as error:
        sys.exit(str(error))
