"""Programs in processes of their own that have imported torch, and nothing else: a Python that starts anew imports it
for two seconds. One process a run of tests imports it, and each program begins in a fork of that."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path


class Program:
    """A script that runs. What an environment has from ``variables`` is there when it begins, but not when torch is
    imported."""

    def __init__(
        self, script: Path, path: Sequence[str], arguments: Sequence[str] = (), **variables: str
    ) -> None:
        self._script, self._folder = script, tempfile.TemporaryDirectory()
        environment = dict(os.environ) | variables
        work = (str(script), self._folder.name, [*path, *_of_this_python()], [*arguments], environment)
        self._process = _context().Process(target=_become, args=work)
        self._process.start()

    def finish(self) -> subprocess.CompletedProcess[str]:
        """Return how it ended, and what it printed."""
        self._process.join()
        code = self._process.exitcode
        assert code is not None
        printed = [Path(self._folder.name, name).read_text() for name in ("out", "err")]
        self._folder.cleanup()
        return subprocess.CompletedProcess([str(self._script)], code, *printed)


@cache
def _context() -> ForkServerContext:
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["torch"])
    return made


def _of_this_python() -> list[str]:
    """The path without what was put there for the tests."""
    prefixes = (sys.prefix, sys.base_prefix)
    return [entry for entry in sys.path if any(Path(entry).is_relative_to(each) for each in prefixes)]


def _become(
    script: str, folder: str, path: list[str], arguments: list[str], environment: Mapping[str, str]
) -> None:
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(Path(folder, name), os.O_WRONLY | os.O_CREAT), number)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv, sys.path[:] = [script, *arguments], [str(Path(script).parent), *path]
    runpy.run_path(script, run_name="__main__")
