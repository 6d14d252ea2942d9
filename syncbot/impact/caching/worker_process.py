"""A second Python process that is told lines. Whatever goes wrong there is left to this process."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import IO


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerProcess:
    """A process that reads lines from its standard input. It may be told some before it is started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._writer = threading.Thread(target=self._write, daemon=True)

    @property
    def started(self) -> bool:
        """Whether :meth:`start` was called, and could start it."""
        return self._process is not None

    def start(self) -> IO[bytes] | None:
        """Start the process, and return its standard output; None where it cannot be started."""
        if self._process is None:
            with suppress(OSError):
                self._process = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
                self._writer.start()
        return self._process.stdout if self._process is not None else None

    def tell(self, line: bytes) -> None:
        """Let it read a line. This waits for nothing: more may be told than a pipe holds."""
        self._lines.put(line)

    def finish(self) -> None:
        """Nothing more will be told: its standard input is closed."""
        self._lines.put(None)

    def end(self, reader: threading.Thread | None = None) -> None:
        """End the process, wherever it is, and wait for the thread that reads its output."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self.finish()
            self._writer.join()
            if reader is not None:
                reader.join()
            if self._process.stdout is not None:
                self._process.stdout.close()

    def _write(self) -> None:
        pipe = self._process.stdin if self._process is not None else None
        if pipe is not None:
            with suppress(OSError), pipe:
                while (line := self._lines.get()) is not None:
                    pipe.write(line + b"\n")
                    pipe.flush()
