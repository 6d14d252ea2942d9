"""Failed tests of pytest's summary, given to the failures that the logs tell more of."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import Generic, TypeVar

from syncbot.triage.model import Raised

_REPR = re.compile(
    r"""(?P<name>[A-Za-z_][\w.]*)\((?P<quote>["'])(?P<message>.*?)(?:(?P=quote),?\).*|\.\.\.)"""
)
# A text that was cut off and is shorter says nothing.
_CUT = 15
# So many texts that begin alike are looked through for the first of them in the logs.
_ALIKE = 64

Key = TypeVar("Key")


class ShownErrors(Generic[Key]):
    """Errors, found by what a summary shows of them: their first line, often cut off."""

    def __init__(self, errors: Iterable[tuple[Key, Raised]]) -> None:
        self._keys: list[Key] = []
        self._whole: dict[str, int] = {}
        self._sorted: list[tuple[str, int]] = []
        for key, error in errors:
            self.add(key, error)

    def add(self, key: Key, error: Raised) -> None:
        """Remember one more."""
        place = len(self._keys)
        self._keys.append(key)
        for text in {_first_line(error.text), _first_line(f"{error.name}: {error.message}")}:
            if self._whole.setdefault(text, place) == place:
                insort(self._sorted, (text, place))

    def find(self, shown: Raised) -> Key | None:
        """The first error that is this one as a summary shows it."""
        text = _first_line(shown.text)
        if not (text.endswith("...") and len(text) > _CUT):
            place = self._whole.get(text)
            return None if place is None else self._keys[place]
        start = bisect_left(self._sorted, (text[:-3], 0))
        near = self._sorted[start : start + _ALIKE]
        places = [place for known, place in near if known.startswith(text[:-3])]
        return self._keys[min(places)] if places else None


def entry_name(test: str) -> str:
    """The heading of pytest's entry for a test of the summary."""
    path, _, name = test.partition("::")
    return name.replace("::", ".") or path


def shown_error(text: str) -> Raised:
    """The error that a summary shows behind a test's name."""
    if (shown := _REPR.fullmatch(text)) is not None:
        # A single exception of a group is shown as code.
        cut = "..." if text.endswith("...") else ""
        return Raised(shown["name"], f"{shown['message']}{cut}")
    name, colon, message = text.partition(": ")
    if colon and all(part.isidentifier() for part in name.split(".")):
        return Raised(name, message)
    if all(part.isidentifier() for part in text.split(".")):
        return Raised(text, "")
    return Raised("AssertionError", text)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
