"""Files of Markdown as files of tests: each case is a test, named by its headings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.sections import FormError


class MarkdownCase(pytest.Item):
    """One case. ``check`` fails with pytest.fail where the case does not hold."""

    def __init__(self, *, line: int, check: Callable[[], None], **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.line = line
        self.check = check

    def runtest(self) -> None:
        """Check it."""
        self.check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Return where the case stands and, if it does not hold, only why."""
        fails = isinstance(excinfo.value, pytest.fail.Exception)
        return f"{self.path}:{self.line}: {excinfo.value if fails else excinfo.getrepr(style='short')}"

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the heading of the case is."""
        return self.path, self.line - 1, self.name


class MarkdownFile(pytest.File):
    """A file of cases."""

    @abstractmethod
    def checks(self, text: str) -> Iterator[tuple[str, int, Callable[[], None]]]:
        """Yield the title, the line and the check of each case. Raises FormError."""

    def collect(self) -> Iterator[MarkdownCase]:
        """Yield the cases. Raises CollectError where the file is not in its form."""
        try:
            for title, line, check in self.checks(self.path.read_text(encoding="utf-8")):
                yield MarkdownCase.from_parent(self, name=title, line=line, check=check)
        except FormError as error:
            raise self.CollectError(f"{self.path}: {error}") from error
