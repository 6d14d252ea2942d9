"""Executors, which run jobs somewhere: one module each, found by its presence, each with an ``EXECUTOR``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from syncbot.upstream.model import Meter

if TYPE_CHECKING:
    from syncbot.verify.job import Done, Job

#: Opens a meter for as long as nothing is printed.
Progress = Callable[[], AbstractContextManager[Meter]]

DEFAULT = "local"


#: Does jobs and yields each once with what became of it, in any order, as soon as it is known. Further
#: arguments: this machine's cache, and the bytes of memory that one job needs at most. Raises
#: EnvironmentFailure when jobs cannot be done, but not before all that can are yielded.
Run: TypeAlias = "Callable[[Sequence[Job], Path, int, Progress], Iterator[tuple[Job, Done]]]"


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
