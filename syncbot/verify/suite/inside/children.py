"""Processes that run a file of tests each, and what is seen of them from outside."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
import time
import traceback
from typing import Any
from urllib.parse import quote

from syncbot.verify.suite.inside.causes import LONGEST_MESSAGE, Places, dumped, is_whole, last_words, printed
from syncbot.verify.suite.inside.notes import Listener, State
from syncbot.verify.suite.inside.recording import Recording

#: A process that waits still looks at its watch: less of one processor than this is nothing.
_NOTHING = 0.01
#: What is imported for a file, and collected, may take so many times as long as a test.
_COLLECTING = 10
#: How long a process may take to say where it is.
_SAYS = 5.0
#: Where foreign code that closes files by their numbers does not look.
_OUTPUT = 200
#: pytest's exit codes where a file was run to its end: passed, failed, not collected, nothing left.
_ENDED = (0, 1, 2, 5)
#: The one where it did not begin: what is imported for a folder of tests failed.
_REFUSED = 4


class Child:
    """A process that runs one file of a task."""

    def __init__(self, task: dict[str, Any], file: str, recording: Recording) -> None:
        self._task, self._file, self._recording = task, file, recording
        self._places = Places(task["root"], task["folders"])
        name = quote(file, safe="")
        self._results = os.path.join(task["results"], f"{name}.jsonl")
        self._log = os.path.join(task["logs"], f"{name}.log")
        self.pid = 0
        self._size, self._used, self._before, self._busy = -1, 0.0, 0.0, 0.0
        self._busy_at = 0.0

    @property
    def is_done(self) -> bool:
        """Whether the file needs no run."""
        return State(self._results).done

    def start(self) -> None:
        """Begin a process for what is left of the file."""
        ended = State(self._results).ended
        if os.path.exists(self._results):
            # Half of a line, where a process was ended, stands alone.
            self._write("")
        self.pid = os.fork()
        if self.pid == 0:
            self._run(ended)
        self._size, self._used, self._before, self._busy = -1, 0.0, 0.0, 0.0
        self._busy_at = time.monotonic()

    def _run(self, ended: set[str]) -> None:
        """Be that process; never returns."""
        code = 70
        try:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            how = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            said = os.open(self._log, how | os.O_TRUNC, 0o644)
            os.dup2(said, 1)
            os.dup2(said, 2)
            os.dup2(os.open(self._results, how, 0o644), _OUTPUT)
            # Asked where it is before it is ended; pytest takes the output of tests elsewhere.
            faulthandler.register(signal.SIGUSR2, file=said, all_threads=False)
            listener = Listener(_OUTPUT, ended, self._recording, self._places)
            code = self._pytest(listener)
            if code in _ENDED:
                listener.done()
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _pytest(self, listener: Listener) -> int:
        import pytest

        arguments = [
            "--rootdir",
            self._places.root,
            "-p",
            "no:cacheprovider",
            "--tb=short",
            "--color=no",
            "-q",
        ]
        given = [self._file, *arguments, *self._task["arguments"]]
        return int(pytest.main(given, plugins=[listener]))

    def reached(self) -> str | None:
        """The limit that the process has reached, in words, or None."""
        now, task = time.monotonic(), self._task
        size = os.stat(self._results).st_size if os.path.exists(self._results) else 0
        # A process that ends takes its time along: what was used stays used.
        self._used = max(self._used, _session_time(self.pid))
        if size != self._size:
            self._size, self._before = size, self._used
        if self._used - self._busy > _NOTHING * task["idle"]:
            self._busy, self._busy_at = self._used, now
        if self._used - self._before > task["seconds"]:
            most = task["seconds"] * (1 if State(self._results).begun is not None else _COLLECTING)
            if self._used - self._before > most:
                return f"not done after {most:g} s of processor time"
        if now - self._busy_at > task["idle"]:
            return f"used no processor time for {task['idle']:g} s"
        return None

    def end(self) -> None:
        """End the process, which says first where it is."""
        with contextlib.suppress(OSError):
            last = time.monotonic() + _SAYS
            os.kill(self.pid, signal.SIGUSR2)
            # The first frame stands at the end, that of the program's own start.
            while not is_whole(last_words(self._log)) and time.monotonic() < last:
                time.sleep(_SAYS / 100)
        end_session(self.pid)

    def settle(self, status: int, limit: str | None) -> bool:
        """Write what became of the test that ran when the process ended; return whether the file is done."""
        end_session(self.pid)
        state = State(self._results)
        if state.done:
            return True
        node = state.begun
        if node is None and (limit or not state.is_complete):
            # Nothing had begun: the file itself is what ended the process.
            node = self._file
        rows: list[dict[str, Any]] = []
        if node is not None:
            refused = not limit and os.WIFEXITED(status) and os.WEXITSTATUS(status) == _REFUSED
            outcome = "over" if limit else "error" if refused else "crash"
            cause = printed(last_words(self._log), self._places) if refused else self._cause(status, limit)
            rows.append({"at": "end", "node": node, "outcome": outcome, "cause": cause})
        if state.begun is None:
            rows.append({"at": "done"})
        self._write("".join(f"{json.dumps(row)}\n" for row in rows))
        return state.begun is None

    def _cause(self, status: int, limit: str | None) -> dict[str, Any]:
        words = last_words(self._log)
        text, frames = self._places.shown(words), dumped(words, self._places)
        said = [line.strip() for line in text.splitlines() if line.strip()]
        exited = said and not limit and not os.WIFSIGNALED(status)
        told = f": {said[-1][:LONGEST_MESSAGE]}" if exited else ""
        return {"type": "", "message": f"{limit or _how(status)}{told}", "frames": frames, "text": text}

    def _write(self, text: str) -> None:
        with open(self._results, "a", encoding="utf-8") as file:
            file.write(f"\n{text}")


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the process ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"the process ended with code {os.WEXITSTATUS(status)}"


def _session_time(leader: int) -> float:
    """The processor time of a session, in seconds."""
    ticks = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                # The name, in parentheses, may hold anything.
                fields = file.read().rpartition(")")[2].split()
            if int(fields[3]) == leader:
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def end_session(leader: int) -> None:
    """End what is left of a session."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.getsid(int(name)) == leader:
                os.kill(int(name), signal.SIGKILL)
