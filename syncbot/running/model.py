"""How modules and tests of the backend end on one end of a range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

State = Literal["passed", "failed", "skipped", "hung"]


class Ending(msgspec.Struct, frozen=True):
    """How one module or test ended: its traceback where it failed, the processor seconds that it took, and
    the tracebacks of what came through lines of the project and was ``caught``, where that was looked at."""

    state: State
    text: str = ""
    seconds: float = 0.0
    caught: tuple[str, ...] = ()


class FileRun(msgspec.Struct, frozen=True):
    """What came of one file of tests: each test by its id (the file's own name where it could not be
    collected), the processor seconds of all, and which of the measured lines were executed, by file, by what
    executed them: the file of tests, or a test."""

    endings: Mapping[str, Ending] = {}
    seconds: float = 0.0
    lines: Mapping[str, Mapping[str, tuple[int, ...]]] = {}

    def of(self, *states: State) -> dict[str, Ending]:
        """The tests that ended so."""
        return {name: ending for name, ending in self.endings.items() if ending.state in states}
