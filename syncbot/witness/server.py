"""Run programs one by one, each in a child of a process that has imported what they need. A script of its
own: it runs on the interpreter of upstream's environment, which knows nothing of syncbot.

``python server.py TASKS ANSWERS``: ``TASKS`` is a JSON file with ``seconds`` of processor and ``bytes`` (the
bounds of one program), ``imports`` and ``programs`` by their names; ``ANSWERS`` gets a line of JSON for each.
"""

import importlib
import json
import math
import os
import resource
import select
import signal
import sys
import time

# One that uses no processor at all is given up after so many times its bound on the clock.
_SLEEP = 20


def main() -> None:
    """Import what is asked for, then run the programs."""
    tasks_file, answers_file = sys.argv[1:3]
    with open(tasks_file, encoding="utf-8") as text:
        tasks = json.load(text)
    resource.setrlimit(resource.RLIMIT_DATA, (tasks["bytes"], tasks["bytes"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    exec(compile(tasks["prepare"], "<prepare>", "exec"), {"__name__": "prepare"})
    for name in tasks["imports"]:
        try:
            importlib.import_module(name)
        except BaseException as error:  # each program that needs it will say so itself
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
    with open(answers_file, "w", encoding="utf-8") as answers:
        for name, program in tasks["programs"].items():
            answers.write(json.dumps({"program": name, **_run(name, program, tasks["seconds"])}) + "\n")
            answers.flush()


def _run(name: str, program: str, seconds: float) -> dict[str, object]:
    reading, writing = os.pipe()
    begun = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.close(reading)
        # Of processor time, so that a busy machine decides nothing. A child begins at none.
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
        _answer(name, program, writing)
    os.close(writing)
    said, ended, last = b"", False, begun + _SLEEP * seconds
    while not ended and select.select([reading], [], [], max(0.0, last - time.perf_counter()))[0]:
        part = os.read(reading, 65536)
        said, ended = said + part, not part
    os.close(reading)
    if not ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    took = time.perf_counter() - begun
    if not ended:
        return {"raised": ["Timeout"], "message": f"no end after {_SLEEP * seconds:g} s", "seconds": took}
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return {"raised": ["Timeout"], "message": f"no end after {seconds:g} s of processor", "seconds": took}
    try:
        return {**json.loads(said), "seconds": took}
    except ValueError:
        return {"raised": ["Killed"], "message": f"the process ended with status {status}", "seconds": took}


def _answer(name: str, program: str, writing: int) -> None:
    try:
        exec(compile(program, f"<witness {name}>", "exec"), {"__name__": "witness"})
        said = {"raised": [], "message": ""}
    except BaseException as error:
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind not in (object, BaseException)]
        said = {"raised": kinds, "message": str(error)[:2000]}
    os.write(writing, json.dumps(said).encode()[:60000])
    # No handlers of the parent's libraries run.
    os._exit(0)


if __name__ == "__main__":
    main()
