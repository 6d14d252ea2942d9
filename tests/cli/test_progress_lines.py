"""Without a terminal a long run says what it does: by a clock and a waiting of the test, no time passes."""

from __future__ import annotations

import subprocess
import sys
from queue import Queue

import pytest

from syncbot.cli.progress_lines import Steps, progress_lines


class Hours:
    """A clock that goes on by what is waited for, each time the test lets it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.let: Queue[bool] = Queue()
        self.told: Queue[str] = Queue()

    def wait(self, seconds: float) -> bool:
        ended = self.let.get()
        self.now += seconds
        return ended

    def next_line(self) -> str:
        self.let.put(False)
        return self.told.get(timeout=60)


def test_each_half_minute_a_line_says_what_is_done_and_of_how_much() -> None:
    hours = Hours()
    with progress_lines(hours.told.put, lambda: hours.now, hours.wait) as report:
        report("downloading a.tar.gz", 12_000_000, 48_500_000)
        report("type checkers", 0, None)
        first = hours.next_line()
        report("downloading a.tar.gz", 48_500_000, 48_500_000)
        report("comparing", 3, 40)
        second = hours.next_line()
        report("comparing", 40, 40)
        report("type checkers", 1, 1)
        third = hours.next_line()
        hours.let.put(True)
    assert first == "syncbot: downloading a.tar.gz 12 of 48 MB, type checkers (30 s so far)"
    assert second == "syncbot: type checkers, comparing 3 of 40 (60 s so far)"
    assert third == "syncbot: working (90 s so far)"
    assert hours.told.empty()


def test_a_run_that_ends_before_tells_nothing() -> None:
    told: list[str] = []
    with progress_lines(told.append) as report:
        report("comparing", 3, 40)
    assert told == []


def test_a_run_that_fails_stops_telling() -> None:
    told: list[str] = []
    with pytest.raises(ValueError, match="at once"), progress_lines(told.append):
        raise ValueError("at once")
    assert told == []


def test_a_name_from_outside_cannot_break_the_line() -> None:
    steps = Steps()
    steps.report("fetching a\n::error::b", 0, None)
    assert "\n" not in steps.line(30)


def test_the_line_goes_to_standard_error_of_a_real_process() -> None:
    program = (
        "from functools import partial\n"
        "from syncbot.cli import progress, progress_lines\n"
        "progress.progress_lines = partial(progress_lines.progress_lines, every=0.01)\n"
        "import threading\n"
        "told, write = threading.Event(), progress._to_stderr\n"
        "progress._to_stderr = lambda line: (write(line), told.set())\n"
        "with progress.meter() as report:\n"
        "    report('comparing', 3, 40)\n"
        "    told.clear()\n"
        "    told.wait(60)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == ""
    assert ran.stderr.splitlines()[-1].startswith("syncbot: comparing 3 of 40 (")
