"""Names that an upstream version lacks of those that a backend imports, where another one fits better."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Misfit:
    """The names that a backend imports and the older end of a range lacks; the tag, or the short sha, of the
    version that fits ``best`` of those looked at, which lacks so many; empty where none fits better."""

    lacking: tuple[str, ...]
    best: str = ""
    best_lacks: int = 0
