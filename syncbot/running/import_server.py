"""Import modules one by one, each in a child of a process that has imported upstream. A script of its own: it
runs on the interpreter of an end's environment, which knows nothing of syncbot.

``python import_server.py TASK``: ``TASK`` is a JSON file with ``seconds`` of processor for one module,
``first`` (what is imported before), ``modules``, the file ``answers``, which gets a line of JSON for each,
and the folder ``root``, which is left out of texts.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import select
import signal
import sys
import time
import traceback
from typing import Any

# One that uses no processor at all is given up after so many times its bound on the clock.
_SLEEP = 10


def main() -> None:
    """Import what is asked for."""
    with open(sys.argv[1], encoding="utf-8") as text:
        task = json.load(text)
    for name in task["first"]:
        try:
            importlib.import_module(name)
        except BaseException as error:  # each module that needs it will say so itself
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
    with open(task["answers"], "a", encoding="utf-8") as answers:
        for name in task["modules"]:
            answers.write(json.dumps({"test": name, **_in_child(name, task)}) + "\n")
            answers.flush()


def _in_child(name: str, task: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    begun = time.monotonic()
    seconds = task["seconds"]
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
        _answer(name, task["root"], writing)
    os.close(writing)
    said, ended, last = b"", False, begun + _SLEEP * seconds
    while not ended and select.select([reading], [], [], max(0.0, last - time.monotonic()))[0]:
        part = os.read(reading, 65536)
        said, ended = said + part, not part
    os.close(reading)
    if not ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not ended or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return {"outcome": "hung", "text": f"no end after {seconds:g} s"}
    try:
        return dict(json.loads(said))
    except ValueError:
        return {"outcome": "failed", "text": f"RuntimeError: the process ended with status {status}"}


def _answer(name: str, root: str, writing: int) -> None:
    try:
        importlib.import_module(name)
        said = {"outcome": "passed", "text": ""}
    except BaseException as error:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        said = {"outcome": "failed", "text": text.replace(root + os.sep, "")}
    with os.fdopen(writing, "w") as end:
        end.write(json.dumps(said))
    # What the module began, such as threads, ends here without a word.
    os._exit(0)


if __name__ == "__main__":
    main()
