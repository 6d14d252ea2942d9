"""A file of cases is a file of tests, and each of its cases one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.cases.form import Case, FormError, cases
from tests.contracts.cases.judging import differences


class Different(Exception):
    """The engine tells something else than a case says."""


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: Case, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.case = case

    def runtest(self) -> None:
        """Compare. Raises Different with the lines that differ."""
        lines = list(differences(self.case))
        if lines:
            raise Different("\n".join(lines))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """The lines alone, where they are what is wrong."""
        if isinstance(excinfo.value, Different):
            return f"{self.path}:{self.case.line}: {self.case.title}\n{excinfo.value}"
        return str(excinfo.getrepr(style="short"))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the heading of the case is."""
        return self.path, self.case.line - 1, self.case.title


class CaseFile(pytest.File):
    """A file of cases."""

    def collect(self) -> Iterator[CaseItem]:
        """Yield its cases. Raises CollectError where it is not in its form."""
        try:
            found = cases(self.path.read_text(encoding="utf-8"))
        except FormError as error:
            raise self.CollectError(f"{self.path}: {error}") from error
        for case in found:
            yield CaseItem.from_parent(self, name=case.title, case=case)


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> CaseFile | None:
    """Each Markdown file of this folder has cases."""
    return CaseFile.from_parent(parent, path=file_path) if file_path.suffix == ".md" else None
