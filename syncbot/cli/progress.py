"""Progress on standard error: bars on a terminal, for what takes longer than a second; else lines."""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from syncbot.cli.progress_lines import progress_lines
from syncbot.report.untrusted_text import one_line
from syncbot.upstream.model import Meter

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

DELAY = 1.0


@contextmanager
def meter(console: Console | None = None, delay: float = DELAY) -> Iterator[Meter]:
    """A callable ``(step, done, total)`` that draws one bar a step; off a terminal, a line each half minute
    says what is done.

    ``total`` None means that nobody knows how long the step is. It may be called from any thread.
    """
    if console is None and not sys.stderr.isatty():
        with progress_lines(_to_stderr) as lines:
            yield lines
        return
    # Only who sees a bar waits for what draws it.
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from syncbot.report.inert_console import console as inert_console

    console = console or inert_console(sys.stderr)
    if not console.is_terminal or console.is_dumb_terminal:
        with progress_lines(_to_stderr) as lines:
            yield lines
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
    )
    progress = Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    )
    tasks: dict[str, TaskID] = {}
    lock = threading.Lock()

    def report(step: str, done: int, total: int | None) -> None:
        with lock:
            if step not in tasks:
                tasks[step] = progress.add_task(one_line(step), total=total, count="")
        count = f"{done} of {total}" if total else ""
        progress.update(tasks[step], completed=done, total=total, count=count)

    starter = threading.Timer(delay, progress.start)
    starter.daemon = True
    starter.start()
    # However the process ends, the cursor is shown again.
    atexit.register(progress.stop)
    try:
        yield report
    finally:
        atexit.unregister(progress.stop)
        starter.cancel()
        starter.join()
        progress.stop()


def _to_stderr(line: str) -> None:
    # Who closed standard error does not want to know.
    with suppress(OSError, ValueError):
        click.echo(line, err=True)
