"""What the configuration says of an upstream that its sources do not: data, so that code names no symbol."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SiblingRule:
    """The method of that name in classes derived from ``base`` is called as the methods ``follows`` are."""

    base: str
    method: str
    follows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """``siblings`` are methods with the contract of others; ``device_apis`` are dotted prefixes such as
    ``torch.cuda.`` whose functions the backend's device may lack."""

    siblings: tuple[SiblingRule, ...] = ()
    device_apis: tuple[str, ...] = ()


NOTHING = Knowledge()
