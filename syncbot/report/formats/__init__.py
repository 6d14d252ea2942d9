"""The formats that a report can be written in: one module each, found by its presence here, of its name."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from syncbot.atomic import write_file
from syncbot.interruption import stop_if_interrupted
from syncbot.package_modules import import_all
from syncbot.report.catalogue import Words, words
from syncbot.report.guarded_output import write_commands
from syncbot.report.untrusted_text import inert, visible

if TYPE_CHECKING:
    from rich.text import Text

    from syncbot.report.model import Report

Reports: TypeAlias = "Sequence[Report]"
Renderer: TypeAlias = "Callable[[Reports, Words], str | Text]"

_RENDERERS: dict[str, Renderer] = {}
#: The format that tells of all that an upgrade brings.
UPGRADE = "upgrade"
#: The formats that show what a language model made of the facts.
WORDED = frozenset({"html", "markdown"})
# The format that consists of commands for a runner of workflows.
_COMMANDS = "github"


def renderer(name: str) -> Callable[[Renderer], Renderer]:
    """Register a function ``(reports, words) -> text`` as a format; a rich text has colours on a terminal."""

    def register(function: Renderer) -> Renderer:
        _RENDERERS[name] = function
        return function

    return register


def formats() -> tuple[str, ...]:
    """The names of all formats, ``text`` first."""
    return ("text", *sorted({module.name for module in pkgutil.iter_modules(__path__)} - {"text"}))


def render(report: Report | Reports, name: str, language: str = "en") -> str:
    """One report, or those of several upstreams, as plain text. Raises UsageError for an unknown language."""
    return _plain(_rendered(report, name, language))


def write(report: Report | Reports, name: str, language: str = "en", output: Path | None = None) -> None:
    """Write reports to a file, else to standard output, in colour on a terminal. Raises UsageError for an
    unknown language, EnvironmentFailure."""
    result = _rendered(report, name, language)
    stop_if_interrupted()
    if output is not None:
        write_file(output, _plain(result).encode())
    elif not isinstance(result, str):
        from syncbot.report.inert_console import console

        console(sys.stdout).print(result, soft_wrap=True, end="")
    elif name == _COMMANDS:
        write_commands(result)
    else:
        sys.stdout.write(_plain(result))


def _plain(result: str | Text) -> str:
    return visible(result) if isinstance(result, str) else inert(str(result))


def _rendered(report: Report | Reports, name: str, language: str) -> str | Text:
    import_all(__name__)
    return _RENDERERS[name](report if isinstance(report, Sequence) else (report,), words(language))
