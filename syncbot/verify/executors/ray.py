"""Jobs as tasks on the Ray cluster at ``RAY_ADDRESS``, or here. Every node needs this very syncbot."""

from __future__ import annotations

import importlib
import logging
import os
import shutil
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO, cast

from syncbot.errors import EnvironmentFailure, SyncbotError
from syncbot.project_metadata.own_extras import install_line
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import step
from syncbot.verify.executors import Executor, Progress
from syncbot.verify.job import Done, Job, perform, remember_all
from syncbot.verify.simulate import Check

_ADDRESS = "RAY_ADDRESS"
#: How often a job is begun again whose node was lost: one that takes nodes down with it must come to an end.
_RETRIES = 3
_LONGEST_LOG = 1 << 20


@dataclass(frozen=True, slots=True)
class _Said:
    """Why a node could not do the job, or what became of it and the logs of what failed."""

    failure: str | None = None
    done: Done | None = None
    logs: tuple[tuple[Check, bytes], ...] = ()


class _Ours:
    """The standard output of this thread; what Ray's threads print goes to the standard error."""

    def __init__(self) -> None:
        self._output, self._thread = sys.stdout, threading.get_ident()

    def __getattr__(self, name: str) -> Any:
        ours = threading.get_ident() == self._thread
        return getattr(self._output if ours else sys.stderr, name)


def _task(job: Job) -> _Said:
    try:
        done = perform(job, cache_dir())
    except SyncbotError as error:
        return _Said(failure=f"{error} (on {socket.gethostname()})")
    failed = {check: Path(outcome.log) for check, outcome in done.outcomes.items() if outcome.log}
    logs = tuple((check, log.read_bytes()[-_LONGEST_LOG:]) for check, log in failed.items())
    for log in failed.values():
        shutil.rmtree(log.parent, ignore_errors=True)
    return _Said(done=done, logs=logs)


def _run(jobs: Sequence[Job], cache: Path, memory: int, progress: Progress) -> Iterator[tuple[Job, Done]]:
    if not jobs:
        return iter(())
    ray = _connected(memory)
    task = ray.remote(num_cpus=1, memory=memory, max_retries=_RETRIES)(_task)
    return _results(ray, {task.remote(job): job for job in jobs}, cache, progress)


def _connected(memory: int) -> Any:
    """Ray's module, connected to the cluster. Raises EnvironmentFailure with one line where there is none."""
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as error:
        raise EnvironmentFailure(
            f"Ray is not installed: run `{install_line('ray')}`, or leave out --executor ray"
        ) from error
    address = os.environ.get(_ADDRESS, "auto")
    try:
        _require_listener(address)
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError) as error:
        raise EnvironmentFailure(
            f"no Ray cluster answers at {address} ({' '.join(str(error).split())[:200]}): start one with "
            f"`ray start --head`, or name its address in {_ADDRESS}"
        ) from error
    largest = max(node["Resources"].get("memory", 0) for node in ray.nodes() if node["Alive"])
    if largest < memory:
        raise EnvironmentFailure(
            f"no node of the Ray cluster offers {memory >> 20} MiB of memory, the largest "
            f"{int(largest) >> 20} MiB: add a larger one, or start one with `ray start --memory BYTES`"
        )
    return ray


def _require_listener(address: str) -> None:
    """Raise OSError at once where Ray would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and "/" not in address and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def _results(
    ray: Any, running: dict[Any, Job], cache: Path, progress: Progress
) -> Iterator[tuple[Job, Done]]:
    failures: list[str] = []
    standard, sys.stdout = sys.stdout, cast(TextIO, _Ours())
    try:
        while running:
            with progress() as meter, step(meter, f"{len(running)} jobs on the Ray cluster"):
                (ready, *_), _ = ray.wait(list(running))
            job = running.pop(ready)
            try:
                said: _Said = ray.get(ready)
            except ray.exceptions.RayError as error:
                said = _Said(failure=" ".join(str(error).split())[:300])
            if said.done is None:
                failures.append(f"{job}: {said.failure}")
                continue
            remember_all(job, said.done, cache)
            yield job, _with_logs(job, said.done, said.logs, cache)
    finally:
        for ready in running:
            ray.cancel(ready, force=True)
        # What Ray held back as a repetition it prints while it ends, and in this thread.
        with redirect_stdout(sys.stderr):
            ray.shutdown()
        sys.stdout = standard
    if failures:
        more = f" (and {len(failures) - 1} more jobs)" if len(failures) > 1 else ""
        raise EnvironmentFailure(failures[0] + more)


def _with_logs(job: Job, done: Done, logs: Sequence[tuple[Check, bytes]], cache: Path) -> Done:
    outcomes = dict(done.outcomes)
    for check, content in logs:
        log = cache / "logs" / f"{job.lane.tag}-{check.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(content)
        outcomes[check] = replace(outcomes[check], log=str(log))
    return replace(done, outcomes=outcomes)


EXECUTOR = Executor(_run, spreads=True)
