"""The Markdown of this folder is tests: cases of rewrites."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.markdown_tests import MarkdownFile

from .form import checks


class RewriteFile(MarkdownFile):
    """A file of cases of a rewrite."""

    def checks(self, text: str) -> Iterator[tuple[str, int, Callable[[], None]]]:
        """Yield each case. Raises FormError."""
        yield from checks(text)


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> RewriteFile | None:
    """Return the cases of a file of Markdown."""
    return RewriteFile.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None
