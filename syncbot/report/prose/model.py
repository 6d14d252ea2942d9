"""A language model's wording of the facts of one commit, or the reason why none is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Why = Literal["refused", "failed", "unasked"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why no model words a commit: ``refused``, ``failed`` or ``unasked``; ``key`` is the catalogue's."""

    why: Why
    key: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    """The facts of one commit in the words of ``model``; where ``reason`` is set, there is no text."""

    model: str
    text: str = ""
    reason: Reason | None = None
