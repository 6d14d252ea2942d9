"""In this process, one job after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from syncbot.upstream.model import step
from syncbot.verify.executors import Executor, Progress
from syncbot.verify.job import Done, Job, perform


def _run(jobs: Sequence[Job], cache: Path, memory: int, progress: Progress) -> Iterator[tuple[Job, Done]]:
    for job in jobs:
        with progress() as meter, step(meter, str(job)):
            done = perform(job, cache, meter)
        yield job, done


EXECUTOR = Executor(_run, spreads=False)
