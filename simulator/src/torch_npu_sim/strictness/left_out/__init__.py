"""Sentences of the documents that no row is made of, each with the reason. Only the count reads them, no run does."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    """Why a sentence is not held to."""

    DESCRIBES = "says what is computed, returned or left to a default; no call can be against it"
    DEVICES = "about products that the simulated device is not"
    UNSEEN = "about graphs, formats, an environment or numerics, which a call does not show"
    SCHEMA = "the operator's schema demands it already"
    ELSEWHERE = "a row of another sentence, or the reference, demands it"
    CONTRADICTED = "another sentence of the document says otherwise"


@dataclass(frozen=True)
class LeftOut:
    """Sentences of operators, each by a part that no sentence with a demand has; of all operators where none is named."""

    operators: tuple[str, ...]
    why: Why
    quotes: tuple[str, ...]


@functools.cache
def left_out() -> tuple[LeftOut, ...]:
    """Return the sentences of all modules of this package."""
    modules = (importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    return tuple(entry for module in modules for entry in module.LEFT_OUT)
