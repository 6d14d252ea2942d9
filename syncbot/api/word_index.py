"""Which blobs have which words: a large tree is asked for thousands of names, and read once for all."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable

# What is no ASCII is part of a word: a name of other letters is several bytes each.
_WORD = re.compile(rb"[\w\x80-\xff]+")


class WordIndex:
    """The words of the blobs that were put, each blob a number."""

    def __init__(self) -> None:
        self._having: dict[bytes, array[int]] = {}
        self._words = b"\n"
        self._known: set[int] = set()

    def put(self, contents: Iterable[tuple[int, bytes]]) -> None:
        """Take in some blobs."""
        new: list[bytes] = []
        for number, content in contents:
            self._known.add(number)
            for word in set(_WORD.findall(content)):
                if word in self._having:
                    self._having[word].append(number)
                else:
                    self._having[word] = array("I", (number,))
                    new.append(word)
        if new:
            self._words += b"\n".join(new) + b"\n"

    def lacks(self, numbers: Iterable[int]) -> set[int]:
        """Those of some blobs that were not put yet."""
        return set(numbers).difference(self._known)

    def having(self, part: bytes) -> set[int]:
        """The numbers of the blobs that contain a part of a word."""
        found: set[int] = set()
        at = self._words.find(part)
        while at >= 0:
            end = self._words.index(b"\n", at)
            found.update(self._having[self._words[self._words.rindex(b"\n", 0, at) + 1 : end]])
            at = self._words.find(part, end)
        return found


def longest_word(text: bytes) -> bytes:
    """The longest run of letters, digits and underscores in a text, which a blob with the text has within one
    word; empty where there is none."""
    return max(_WORD.findall(text), key=len, default=b"")
