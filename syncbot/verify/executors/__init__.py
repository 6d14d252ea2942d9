"""Executors, which run jobs somewhere: one module each, found by its presence, each with an ``EXECUTOR``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from syncbot.upstream.model import Meter
from syncbot.verify.job import Done, Job

#: Opens a meter for as long as nothing is printed.
Progress = Callable[[], AbstractContextManager[Meter]]

DEFAULT = "local"


class Run(Protocol):
    """Does jobs and yields each with what became of it, in any order, as soon as it is known.

    Every job is yielded once. ``memory`` is what one needs at most, in bytes, ``cache`` this machine's
    cache. Raises EnvironmentFailure when jobs cannot be done, but not before all that can are yielded.
    """

    def __call__(
        self, jobs: Sequence[Job], cache: Path, memory: int, progress: Progress
    ) -> Iterator[tuple[Job, Done]]:
        """Return the iterator; an executor may begin before the first is asked for."""
        ...


@dataclass(frozen=True, slots=True)
class Executor:
    """``spreads`` says that it wants the jobs of all lanes at once, and not lane by lane."""

    run: Run
    spreads: bool


def names() -> list[str]:
    """The names of the executors."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def executor(name: str) -> Executor:
    """The executor of that name, which is one of ``names()``."""
    found: Executor = importlib.import_module(f"{__name__}.{name}").EXECUTOR
    return found
