"""Keeps the values used last, so that a year of history needs no more memory than a month."""

from __future__ import annotations

from collections.abc import ItemsView
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class RecentlyUsed(Generic[K, V]):
    """The ``most`` values that were asked for or put last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """The value of a key, None where there is none any more."""
        value = self._values.get(key)
        if value is not None and len(self._values) >= self._most:
            # The order matters only once something has to go.
            self._values[key] = self._values.pop(key)
        return value

    def put(self, key: K, value: V) -> V:
        """Keep a value, and give it back."""
        self._values[key] = value
        while len(self._values) > self._most:
            del self._values[next(iter(self._values))]
        return value

    def items(self) -> ItemsView[K, V]:
        """The keys with their values."""
        return self._values.items()

    def __len__(self) -> int:
        return len(self._values)
