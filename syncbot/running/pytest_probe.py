"""A plugin of pytest that notes how each test ends, in a file that outlives the process. It runs on the
interpreter of an end's environment, which knows nothing of syncbot.

The variable ``SYNCBOT_PROBE`` names a JSON file: ``answers`` (the file for the notes), ``seconds`` (of
processor for one test), ``idle`` (seconds without any), ``known`` (ids of tests that are not run), ``only``
(ids that are run, or null for all), ``root`` (left out of texts), ``measured`` (lines by file, of which is
noted which each test executes; each file of tests where all are run), ``caught`` (whether is noted what came
through the files below the root and was caught: a test may only see that a result is another).
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

with open(os.environ["SYNCBOT_PROBE"], encoding="utf-8") as _text:
    _TASK = json.load(_text)
_LOCK = threading.Lock()
_UNDER_WAY: dict[str, Any] = {"test": None, "used": 0.0, "busy": 0.0, "seen": 0.0, "limit": 0.0}
_MAIN = threading.main_thread().ident
# Less of one processor than this is nothing.
_NOTHING = 0.01
#: So many times as long may take what a module of tests imports.
_IMPORTS = 4
#: So many errors of a test are noted, the last ones.
_REMEMBERED = 10


def _note(**said: object) -> None:
    # What the process uses and what its children did.
    line = json.dumps({"clock": sum(os.times()[:4]), **said}) + "\n"
    with _LOCK, open(_TASK["answers"], "a", encoding="utf-8") as answers:
        answers.write(line)


def _plain(text: str) -> str:
    return text.replace(_TASK["root"] + os.sep, "")


def _watch() -> None:
    """End the process where a test is beyond its limits: nothing else ends a loop in compiled code."""
    while True:
        time.sleep(0.2)
        test = _UNDER_WAY["test"]
        if test is None:
            continue
        used, now = time.process_time(), time.monotonic()
        if used - _UNDER_WAY["seen"] > _NOTHING * _TASK["idle"]:
            _UNDER_WAY["seen"], _UNDER_WAY["busy"] = used, now
        if used - _UNDER_WAY["used"] > _UNDER_WAY["limit"]:
            why = f"not done after {_UNDER_WAY['limit']:g} s of processor time"
        elif now - _UNDER_WAY["busy"] > _TASK["idle"]:
            why = f"used no processor time for {_TASK['idle']:g} s"
        else:
            continue
        frame = sys._current_frames().get(_MAIN or 0)
        stack = "".join(traceback.format_stack(frame)) if frame is not None else ""
        spent = used - _UNDER_WAY["used"]
        _note(test=test, outcome="hung", seconds=spent, text=_plain(f"{stack}TimeoutError: {why}\n"))
        os._exit(3)


class _Measure:
    """Which of the measured lines are executed; nothing where nobody can tell."""

    def __init__(self) -> None:
        self._coverage: Any = None
        self._name: str | None = None
        if not _TASK["measured"]:
            return
        try:
            import coverage  # type: ignore[import-not-found]  # it is in the environment of an end
        except ImportError:
            return
        self._lines = {
            os.path.join(_TASK["root"], path): set(lines) for path, lines in _TASK["measured"].items()
        }
        self._coverage = coverage.Coverage(
            data_file=None, include=list(self._lines), messages=False, config_file=False
        )
        self._coverage.start()

    def turn_to(self, name: str | None) -> None:
        """Note what was executed until now, and begin with something else."""
        if self._coverage is None or name == self._name:
            return
        self._coverage.stop()
        # That nothing was executed is worth no warning, which a project may take for an error.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = self._coverage.get_data()
        executed = {
            path: self._lines.get(path, set()) & {*(data.lines(path) or ())} for path in data.measured_files()
        }
        if self._name is not None:
            lines = {_plain(path): sorted(numbers) for path, numbers in executed.items() if numbers}
            _note(name=self._name, lines=lines)
        self._coverage.erase()
        if name is not None:
            self._coverage.start()
        self._name = name


class _Caught:
    """The last errors that came through the project's lines in one test, whoever caught them."""

    def __init__(self) -> None:
        self._errors: dict[int, tuple[BaseException, Any]] = {}
        self._ours: dict[str, bool] = {}

    def begin(self) -> None:
        """Watch from now on."""
        if _TASK["caught"] and sys.gettrace() is None:
            self._errors.clear()
            sys.settrace(self._entered)

    def end(self) -> list[str]:
        """The tracebacks of what came through."""
        if sys.gettrace() != self._entered:
            return []
        sys.settrace(None)
        texts = [
            _plain("".join(traceback.format_exception(type(error), error, where)))
            for error, where in self._errors.values()
        ]
        self._errors.clear()
        return texts

    def _entered(self, frame: Any, event: str, value: Any) -> Any:
        name = frame.f_code.co_filename
        ours = self._ours.get(name)
        if ours is None:
            ours = self._ours[name] = name.startswith(_TASK["root"] + os.sep)
        if not ours:
            return None
        frame.f_trace_lines = False
        return self._inside

    def _inside(self, frame: Any, event: str, value: Any) -> Any:
        if event == "exception" and isinstance(value[1], Exception):
            self._note_error(value[1], value[2])
        return self._inside

    def _note_error(self, error: Exception, where: Any) -> None:
        # How generators end is no error.
        if not isinstance(error, (StopIteration, StopAsyncIteration)):
            self._errors.pop(id(error), None)
            self._errors[id(error)] = (error, where)
            if len(self._errors) > _REMEMBERED:
                self._errors.pop(next(iter(self._errors)))


_MEASURE = _Measure()
_CAUGHT = _Caught()
_ERRORS: dict[str, str] = {}


def _measured_as(nodeid: str) -> str:
    return nodeid.partition("::")[0] if _TASK["only"] is None else nodeid


def pytest_configure() -> None:
    """Begin to watch."""
    threading.Thread(target=_watch, daemon=True).start()


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path) -> None:
    """What a file of tests imports is executed by it."""
    _MEASURE.turn_to(str(module_path.relative_to(_TASK["root"]).as_posix()))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note what cannot be collected."""
    if report.failed and report.nodeid:
        said = report.longrepr
        text = getattr(said, "longrepr", None) or str(said)
        _note(
            test=report.nodeid, outcome="failed", seconds=0.0, text=_ERRORS.pop(report.nodeid, _plain(text))
        )


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Remember what was raised: the report has another form of it."""
    # Many modules may be imported with one of tests.
    if collector.nodeid.endswith(".py"):
        _begin(collector.nodeid, _IMPORTS)
    outcome: Any = yield
    _end()
    report = outcome.get_result() if outcome.excinfo is None else None
    if report is not None and report.failed:
        error = getattr(getattr(report, "call", None), "excinfo", None)
        if error is not None:
            _ERRORS[collector.nodeid] = _traceback(error.value)


def _traceback(error: BaseException) -> str:
    # What pytest raises of a module that fails to import has the error as its cause.
    error = error.__cause__ or error
    return _plain("".join(traceback.format_exception(type(error), error, error.__traceback__)))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not asked for, last of all: what others leave out or order stays so."""
    known, only = set(_TASK["known"]), _TASK["only"]
    wanted = [item for item in items if item.nodeid not in known and (only is None or item.nodeid in only)]
    left = [item for item in items if item not in set(wanted)]
    _note(collected=[item.nodeid for item in items])
    items[:] = wanted
    if left:
        config.hook.pytest_deselected(items=left)


def _begin(test: str, times: float = 1.0) -> None:
    now = time.process_time()
    _UNDER_WAY.update(used=now, seen=now, busy=time.monotonic(), limit=times * _TASK["seconds"])
    _UNDER_WAY["test"] = test


def _end() -> float:
    _UNDER_WAY["test"] = None
    return time.process_time() - float(_UNDER_WAY["used"])


_STATES: dict[str, tuple[str, str]] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note that a test begins and how it ends."""
    _MEASURE.turn_to(_measured_as(item.nodeid))
    _STATES.clear()
    _note(begun=item.nodeid)
    _begin(item.nodeid)
    _CAUGHT.begin()
    yield
    caught, seconds = _CAUGHT.end(), _end()
    outcome, text = _STATES.get("worst", ("skipped", ""))
    more = [each for each in caught if each != text] if outcome == "failed" else []
    _note(test=item.nodeid, outcome=outcome, seconds=seconds, text=text, caught=more)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Take the worst of what set-up, call and tear-down of a test report."""
    result: Any = yield
    report = result.get_result()
    if report.failed and _STATES.get("worst", ("",))[0] != "failed":
        error = call.excinfo.value if call.excinfo is not None else None
        text = _traceback(error) if error is not None else _plain(str(report.longrepr))
        _STATES["worst"] = ("failed", text)
    elif report.passed and call.when == "call":
        _STATES.setdefault("worst", ("passed", ""))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Note that nothing is left."""
    _MEASURE.turn_to(None)
    _note(ended=True)
