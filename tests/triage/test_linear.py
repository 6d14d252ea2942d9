"""The work that logs make: twice the log is twice the work, whatever it holds. Steps are counted, not time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from syncbot.triage import folded_failures
from syncbot.triage.diagnosis import Triage
from syncbot.triage.folded_failures import causes, folded
from syncbot.triage.formats import FORMATS
from syncbot.triage.guilty_commits import environmental
from syncbot.triage.kinds import kinds
from syncbot.triage.log_lines import telling_lines
from syncbot.triage.model import FailedTest, Trace
from syncbot.triage.process_streams import parsed

pytestmark = pytest.mark.long

_TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/main.py", line {line}, in run
    step(a)
{error}

"""


def _different(number: int) -> str:
    error = f"TypeError: Engine.step() got an unexpected keyword argument 'argument_{number}'"
    return _TRACEBACK.format(line=10, error=error)


def _one_text(number: int) -> str:
    return _TRACEBACK.format(line=number, error="ValueError: the same words at another line each time")


def _quoting(number: int) -> str:
    told = f"cannot use the thing that is called number_{number}"
    return _TRACEBACK.format(line=1, error=f"ValueError: {told}") + _TRACEBACK.format(
        line=2, error=f"RuntimeError: worker {number} died of ValueError: {told}"
    )


def _bereft(number: int) -> str:
    error = (
        f"EOFError: connection {'a' * (number % 7)}x{number} was lost; see the log for the root cause above"
    )
    return _TRACEBACK.format(line=3, error=error)


def _nested(number: int) -> str:
    return _TRACEBACK.format(line=4, error=f"ValueError: {'a' * (20 + number)}")


def _summary(number: int) -> str:
    return (
        f"FAILED tests/test_a.py::test_{number} - TypeError: argument_{number} is no argument of...\n"
        f"FAILED tests/test_b.py::test_{number} - ValueError: the same text of ever so many...\n"
        f"FAILED tests/test_{number}.py::test_same\n"
    )


def _chained(number: int) -> str:
    first = _TRACEBACK.format(line=5, error=f"KeyError: 'key_{number}'")
    joint = "During handling of the above exception, another exception occurred:\n\n"
    return f"{first}{joint}" + _TRACEBACK.format(line=6, error=f"ValueError: no value for key_{number}")


def _text(log: str) -> Iterator[str]:
    reading = folded(parsed("log", [log.encode()]))
    triage = Triage(reading, tuple(environmental(failure) for failure in causes(reading)))
    return (render(triage) for render in FORMATS.values())


def steps(work: Callable[[], object]) -> int:
    """How many instructions of Python the work takes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.long
@pytest.mark.parametrize("part", [_different, _one_text, _quoting, _bereft, _nested, _summary, _chained])
def test_twice_the_log_is_twice_the_work(part: Callable[[int], str]) -> None:
    kinds()
    few, many = ("".join(map(part, range(count))) for count in (60, 120))
    list(_text(few))  # what is made once is made
    assert steps(lambda: list(_text(many))) < 2.3 * steps(lambda: list(_text(few)))


@pytest.mark.parametrize(
    "line", ["Error", "an Error (4) here", "ERROR 11-22 [core.py:3] slow", "FAILED to warm up"]
)
def test_words_that_only_sound_like_a_failure_make_no_work(line: str) -> None:
    """Only where a message of an exception, or the file of a test, follows are they looked at one by one."""
    few, many = (f"{line}\n" * count + "fine\n" * 2_000 + "ValueError: bad\n" for count in (200, 2_000))
    list(parsed("log", [few.encode()]))
    less, more = (steps(lambda log=log: list(parsed("log", [log.encode()]))) for log in (few, many))
    assert more < 1.1 * less
    (told,) = parsed("log", [many.encode()])
    assert isinstance(told, Trace)
    assert (told.line, told.raised[0].text) == (4_001, "ValueError: bad")


def test_a_coloured_line_of_the_summary_tells_by_itself() -> None:
    line = "\x1b[31mFAILED\x1b[0m tests/a.py::\x1b[1mtest_b\x1b[0m - assert 1\n"
    told = [
        event for event in parsed("log", [f"fine\n{line}fine\n".encode()]) if isinstance(event, FailedTest)
    ]
    assert [(failed.test, failed.line) for failed in told] == [("tests/a.py::test_b", 2)]


@pytest.mark.parametrize("filler", [b"\0", b"a", b"12%\r", b"Error "])
def test_of_a_line_without_end_only_the_beginning_is_kept(filler: bytes) -> None:
    endless = [filler * (1_000_000 // len(filler))] * 20
    lines = list(telling_lines([b"Error: a\n", *endless, b"\nError: b\n"], lambda: False))
    assert [(number, line) for number, line in lines if b"Error: " in line] == [
        (1, b"Error: a\n"),
        (3, b"Error: b\n"),
    ]
    assert all(len(line) <= 20_000 for _, line in lines)


def test_failures_beyond_the_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    log = "".join(map(_different, range(20)))
    assert folded(parsed("log", [log.encode()])).left_out == 0
    monkeypatch.setattr(folded_failures, "_MOST", 15)
    reading = folded(parsed("log", [log.encode()]))
    assert (len(reading.failures), reading.left_out) == (15, 5)
    triage = Triage(reading, tuple(environmental(failure) for failure in causes(reading)))
    assert "not told, for there are too many: 5 further exceptions" in FORMATS["text"](triage)
    monkeypatch.setattr(folded_failures, "_MOST_BYTES", 3_000)
    reading = folded(parsed("log", [log.encode()]))
    assert 0 < len(reading.failures) < 15
    assert len(reading.failures) + reading.left_out == 20
