"""The formats that a report can be written in: one module each, found by its presence here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.text import Text

from syncbot.atomic import write_file
from syncbot.interruption import stop_if_interrupted
from syncbot.package_modules import import_all
from syncbot.report.catalogue import Words, words
from syncbot.report.guarded_output import write_commands
from syncbot.report.model import Report
from syncbot.report.untrusted_text import inert, visible

Reports = Sequence[Report]
Renderer = Callable[[Reports, Words], str | Text]

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
    import_all(__name__)
    return ("text", *sorted(_RENDERERS.keys() - {"text"}))


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
    elif isinstance(result, Text):
        from syncbot.report.inert_console import console

        console(sys.stdout).print(result, soft_wrap=True, end="")
    elif name == _COMMANDS:
        write_commands(result)
    else:
        sys.stdout.write(_plain(result))


def _plain(result: str | Text) -> str:
    return inert(str(result)) if isinstance(result, Text) else visible(result)


def _rendered(report: Report | Reports, name: str, language: str) -> str | Text:
    formats()
    return _RENDERERS[name]((report,) if isinstance(report, Report) else report, words(language))
