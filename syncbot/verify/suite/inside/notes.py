"""Writes notes on a file of tests while it runs, a line of JSON each, and reads them when the run goes on.

``{"at": "collected", "nodes": [...]}``, ``{"at": "begin", "node": ...}``, ``{"at": "end", "node": ...,
"outcome": ...}`` or ``{"at": "done"}``. A file that is done is not run again; of one that is not, tests
that ended are not.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

from syncbot.verify.suite.inside.causes import Places, printed, raised
from syncbot.verify.suite.inside.recording import Recording


def lines(path: str) -> Iterator[dict[str, Any]]:
    """The lines of a file, none without one; half of a line is left out."""
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                with contextlib.suppress(ValueError):
                    yield json.loads(line)
    except OSError:
        return


class State:
    """How far a file has come: the test that ``begun`` and did not end, those that ``ended``, those that were
    ``collected``, None before that, and whether it is ``done``."""

    def __init__(self, path: str) -> None:
        self.begun: str | None = None
        self.ended: set[str] = set()
        self.collected: list[str] | None = None
        self.done = False
        for line in lines(path):
            if line["at"] == "collected":
                self.collected = line["nodes"]
            elif line["at"] == "begin":
                self.begun = line["node"]
            elif line["at"] == "end":
                self.ended.add(line["node"])
                self.begun = None if self.begun == line["node"] else self.begun
            else:
                self.done = True

    @property
    def is_complete(self) -> bool:
        """Whether all tests that were collected ended."""
        return self.collected is not None and self.ended.issuperset(self.collected)


class Listener:
    """A plugin of pytest that writes what becomes of each test of a file that has not ended yet."""

    def __init__(self, output: int, ended: set[str], recording: Recording, places: Places) -> None:
        self._output, self._ended, self._recording, self._places = output, ended, recording, places
        self._outcome, self._used = "pass", 0.0
        self._cause: dict[str, Any] | None = None

    def write(self, **line: Any) -> None:
        """Write a line at once."""
        os.write(self._output, (json.dumps(line) + "\n").encode())

    def done(self) -> None:
        """Write that the file is done."""
        self.write(at="done", ran=self._recording.told(), modules=self._recording.modules)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out what ended before."""
        self.write(at="collected", nodes=[item.nodeid for item in items], ran=self._recording.told())
        items[:] = [item for item in items if item.nodeid not in self._ended]

    def pytest_collectreport(self, report: Any) -> None:
        """Note what cannot be collected."""
        if report.failed:
            cause = printed(str(report.longrepr), self._places)
            self.write(at="end", node=report.nodeid, outcome="error", cause=cause)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note a test that begins."""
        self.write(at="begin", node=nodeid)
        self._outcome, self._cause, self._used = "pass", None, used()

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Take the first exception of a test."""
        if call.excinfo is not None and self._cause is None:
            self._cause = raised(call.excinfo.value, call.excinfo.tb, self._places)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take the outcome of a phase of a test."""
        if report.failed and self._outcome in ("pass", "skip"):
            self._outcome = "fail" if report.when == "call" else "error"
        elif report.skipped and self._outcome == "pass":
            self._outcome = "skip"

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note a test that ended."""
        line: dict[str, Any] = {"outcome": self._outcome, "seconds": round(used() - self._used, 3)}
        if self._outcome not in ("pass", "skip"):
            line["cause"] = self._cause or printed("", self._places)
        self.write(at="end", node=nodeid, ran=self._recording.told(), **line)


def used() -> float:
    """The processor time of this process and of what it waited for, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
