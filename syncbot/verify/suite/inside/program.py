"""Run the files of a test suite, each in a child of a process that has imported what they need.

``main`` is given a JSON file: ``root`` (the current folder of tests), ``files`` (in the order in which they
begin), ``folders`` of tests, ``results`` and ``logs`` (folders that get a file for each), ``processes``,
``prepare`` (Python text), ``preload`` (modules), ``recorded`` (packages whose functions are noted),
``seconds`` of processor a test, ``idle`` seconds on the clock without any, and ``arguments`` of pytest.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
import types
from typing import Any

from syncbot.verify.suite.inside.children import Child, end_session
from syncbot.verify.suite.inside.notes import used
from syncbot.verify.suite.inside.recording import Recording

_LOOKS_EVERY, _WAITS = 0.5, 0.02


def main() -> None:
    """Import what is asked for, then run the files."""
    with open(sys.argv[1], encoding="utf-8") as text:
        task = json.load(text)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(task["root"])
    sys.path[:] = [task["root"], *(place for place in sys.path[1:] if place != task["root"])]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    recording = Recording(task["recorded"])
    recording.start()
    # What it makes lasts as long as the process.
    prepared = sys.modules["syncbot_prepared"] = types.ModuleType("syncbot_prepared")
    exec(compile(task["prepare"], "<prepare>", "exec"), vars(prepared))
    for name in task["preload"]:
        try:
            importlib.import_module(name)
        except BaseException as error:  # each test that needs it will say so itself
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    # Children share what is not looked at any more.
    gc.collect()
    gc.freeze()
    print(f"imported after {used():.1f} s of processor time", flush=True)
    run(task, recording)


def run(task: dict[str, Any], recording: Recording) -> None:
    """Run all files that are not done, so many at a time."""
    waiting = [child for file in task["files"] if not (child := Child(task, file, recording)).is_done]
    running: dict[int, Child] = {}
    looked = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < task["processes"]:
                child = waiting.pop(0)
                child.start()
                running[child.pid] = child
            time.sleep(_WAITS)
            looks = time.monotonic() - looked >= _LOOKS_EVERY
            looked = time.monotonic() if looks else looked
            for pid, child in list(running.items()):
                ended, status = os.waitpid(pid, os.WNOHANG)
                limit = child.reached() if looks and not ended else None
                if limit is not None:
                    child.end()
                    ended, status = os.waitpid(pid, 0)
                if not ended:
                    continue
                del running[pid]
                if not child.settle(status, limit):
                    child.start()
                    running[child.pid] = child
    finally:
        for pid in running:
            end_session(pid)


if __name__ == "__main__":
    main()
