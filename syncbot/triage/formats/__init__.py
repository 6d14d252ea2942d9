"""The formats that a triage can be written in: one module each, found by its presence here."""

from __future__ import annotations

from collections.abc import Callable

from syncbot.package_modules import import_all
from syncbot.triage.diagnosis import Triage

Renderer = Callable[[Triage], str]

_RENDERERS: dict[str, Renderer] = {}


def renderer(name: str) -> Callable[[Renderer], Renderer]:
    """Register a function from a triage to text as the format of that name."""

    def register(function: Renderer) -> Renderer:
        _RENDERERS[name] = function
        return function

    return register


def formats() -> tuple[str, ...]:
    """The names of all formats, ``text`` first."""
    import_all(__name__)
    return ("text", *sorted(_RENDERERS.keys() - {"text"}))


def render(triage: Triage, name: str) -> str:
    """A triage as text in the format of that name, which :func:`formats` has."""
    formats()
    return _RENDERERS[name](triage)
