"""Two processes that work on one question, each started as a launcher such as torchrun would."""

import json
import os
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any


def in_two_processes(work: Callable[[int], Any]) -> list[Any]:
    """Return what ``work`` returns for 0, in this process, and for 1, in a child, from which it comes as JSON.

    Raises RuntimeError if the child fails.
    """
    # A folder of its own: the same case may run on another runner at the same time.
    with tempfile.TemporaryDirectory() as folder:
        return _in_two_processes(Path(folder) / "second.json", work)


def _in_two_processes(file: Path, work: Callable[[int], Any]) -> list[Any]:
    child = os.fork()
    if child == 0:
        try:
            file.write_text(json.dumps(work(1)))
        except BaseException:
            traceback.print_exc()
        # Engines of several processes are told to end by the end of their processes.
        os._exit(not file.exists())
    first = work(0)
    _, status = os.waitpid(child, 0)
    if status:
        raise RuntimeError(f"the second engine ended with code {os.waitstatus_to_exitcode(status)}")
    return [first, json.loads(file.read_text())]
