"""A program in a fork of the tests' own process, which has imported what the program needs: a Python that starts
anew imports for a second."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn


def forked(program: str) -> subprocess.CompletedProcess[str]:
    """Return how a program ended, and what it printed. What it changes in its process, nobody else sees."""
    (output, printed), (errors, said) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        _become(program, printed, said)
    for end in (printed, said):
        os.close(end)
    with ThreadPoolExecutor(2) as readers:
        texts = list(readers.map(_read, (output, errors)))
    _, status = os.waitpid(child, 0)
    return subprocess.CompletedProcess(program, os.waitstatus_to_exitcode(status), *texts)


def _read(end: int) -> str:
    with open(end, encoding="utf-8") as stream:
        return stream.read()


def _become(program: str, printed: int, said: int) -> NoReturn:
    os.dup2(printed, 1)
    os.dup2(said, 2)
    for end in (printed, said):
        os.close(end)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    # Neither pytest's own end nor what is registered for the end of the process.
    leave_after(lambda: exec(compile(program, "<forked>", "exec"), {"__name__": "__main__"}))


def leave_after(work: Callable[[], object], *then: Callable[[], object]) -> NoReturn:
    """Do some work, and what is to be done whatever came of it; end this process with the code that Python would
    end with, at once."""
    code: object = 1
    try:
        work()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        for each in then:
            each()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)
