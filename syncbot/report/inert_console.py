"""Consoles of rich that print what a stranger wrote without its control characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from syncbot.report.guarded_output import unguarded
from syncbot.report.untrusted_text import inert


def console(stream: TextIO, width: int | None = None) -> Console:
    """A console on a stream. Its own styles pass; what it is given to print is made inert."""
    made = Console(file=unguarded(stream), width=width, highlight=False)
    if made.width < 1:
        made.width = 80  # a terminal, or COLUMNS, that says 0 would show nothing
    made.push_render_hook(_Inert())
    return made


class _Inert(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_InertPieces(renderables)]


class _InertPieces:
    """A renderable whose pieces of text are each made inert; rich's own control codes pass unchanged."""

    def __init__(self, renderables: Sequence[ConsoleRenderable]) -> None:
        self._renderables = renderables

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for renderable in self._renderables:
            for piece in console.render(renderable, options):
                yield piece if piece.control else Segment(inert(piece.text), piece.style)
