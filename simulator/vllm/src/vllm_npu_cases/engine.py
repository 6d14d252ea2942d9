"""Asks the real vLLM engine on the simulated device.

Run by ``check`` in a process of its own, whose environment is set before Python starts:
``python -m vllm_npu_cases.engine``.
"""

import argparse
import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from vllm_npu_cases import counting, executed, faults, warm_spawn
from vllm_npu_cases.cases import case_of
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.plugins import plugin
from vllm_npu_cases.refusals import refusal
from vllm_npu_cases.session import Session


def run(case: Case, session: Session) -> dict[str, Any]:
    """Return the answer, the runner that made it, and the calls of every operator."""
    import torch
    import vllm

    torch.set_num_threads(1)
    answer = case.ask(session)
    return {
        "runner_class": ", ".join(sorted(session.runners)),
        "vllm": vllm.__version__,
        "torch": torch.__version__,
        "answer": answer,
        "operators": dict(sorted(session.operators.items())),
        "processor_seconds": round(_processor_seconds(), 1),
    }


def _processor_seconds() -> float:
    """Return the processor time of this process, of the children that ended and of those that have not yet."""
    used = sum(os.times()[:4])
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            used += sum(each.cpu_times()[:4])
    return used


def judged(case: Case, result: Mapping[str, Any], reference: Path) -> dict[str, Any]:
    """Return in what the answer differs from that of the reference, and which operators never ran: told here, where
    what is executed is recorded."""
    answer = json.loads(json.dumps(result["answer"]))
    needed = plugin().operators(case)
    return {
        "difference": case.differs(answer, json.loads(reference.read_text())["answer"]),
        "missing_operators": [name for name in needed if name not in result["operators"]],
    }


def _answer(task: Mapping[str, Any]) -> None:
    """Work on one task in this process, which is a child made for it; never returns."""
    code, session = 1, None
    try:
        log = os.open(task["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.environ.update(task["variables"])
        executed.follow()
        if counting.simulated():
            warm_spawn.begin()
        case = case_of(task["module"], task["case"])
        session = Session(case, Path(task["directory"]))
        faults.plant()
        result = run(case, session)
        result |= judged(case, result, Path(task["reference"]))
        Path(task["output"]).write_text(json.dumps(result))
        code = 0
    except BaseException as error:
        traceback.print_exc()
        if words := refusal(error, plugin().package, session is not None and bool(session.runners)):
            Path(task["output"]).write_text(json.dumps({"unsupported": words}))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # vLLM's threads and process groups need not be taken down one by one.
        os._exit(code)


def main() -> None:
    """Work on the tasks in the JSON file ``--tasks``, each in a child of its own, ``--at-once`` of them at a time, and
    print the exit code of each.

    vLLM is imported once, for it takes longer than most cases do. A device is used in children alone.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", required=True, type=Path)
    parser.add_argument("--at-once", type=int, default=1)
    given = parser.parse_args()
    tasks = json.loads(given.tasks.read_text())
    import vllm.entrypoints.llm  # noqa: F401
    from vllm.model_executor.models import registry

    # A model's class is looked at in a process of its own, so that the caller stays without a device. Ours is
    # such a process.
    registry._run_in_subprocess = lambda look: look()
    # vLLM collects garbage several times as it starts, and would look at all that was imported each time.
    gc.collect()
    gc.freeze()

    in_children(tasks, given.at_once, _answer)


def in_children(tasks: Iterable[Mapping[str, Any]], at_once: int, work: Callable[[Mapping[str, Any]], object]) -> None:
    """Have every task done in a child of its own, so many at once; print the exit code of each as it ends."""
    running: dict[int, tuple[str, float]] = {}
    for task in tasks:
        if len(running) == at_once:
            _tell_of_next(running)
        child = os.fork()
        if child == 0:
            work(task)
        running[child] = task["name"], time.monotonic()
    while running:
        _tell_of_next(running)


def _tell_of_next(running: dict[int, tuple[str, float]]) -> None:
    """Wait for one of the children, print its exit code, and take it out."""
    child, status = os.wait()
    name, start = running.pop(child)
    said = {"task": name, "code": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - start}
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
