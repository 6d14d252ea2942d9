"""The Markdown of this folder is tests: cases of the contract engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.contracts.cases.form import Case, cases
from tests.contracts.cases.judging import differences
from tests.markdown_tests import MarkdownFile
from tests.sections import Leaf


class CaseFile(MarkdownFile):
    """A file of cases of the contract engine."""

    def checks(self, text: str) -> Iterator[tuple[str, int, Callable[[], None]]]:
        """Yield the cases, each with a comparison of what is told and what it says. Raises FormError."""
        for leaf in cases(text):
            yield leaf.title, leaf.line, partial(_compared, leaf)


def _compared(leaf: Leaf[Case]) -> None:
    lines = list(differences(leaf.value))
    if lines:
        pytest.fail("\n".join([leaf.title, *lines]), pytrace=False)


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> CaseFile | None:
    """Return the cases of a file of Markdown."""
    return CaseFile.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None
