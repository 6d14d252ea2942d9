"""The formats that a triage can be written in: one module each, found by its presence here."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

from syncbot.triage.diagnosis import Triage

Renderer = Callable[[Triage], str]

_RENDERERS: dict[str, Renderer] = {}


def renderer(name: str) -> Callable[[Renderer], Renderer]:
    """Register a function from a triage to text as the format of that name."""

    def register(function: Renderer) -> Renderer:
        _RENDERERS[name] = function
        return function

    return register


@cache
def formats() -> tuple[str, ...]:
    """The names of all formats, ``text`` first."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return ("text", *sorted(_RENDERERS.keys() - {"text"}))


def render(triage: Triage, name: str) -> str:
    """A triage as text in the format of that name, which :func:`formats` has."""
    formats()
    return _RENDERERS[name](triage)
