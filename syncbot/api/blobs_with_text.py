"""Which blobs contain a text: a range asks that of nearly the same tree for each commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress

import msgspec

from syncbot.api.recently_used import RecentlyUsed
from syncbot.api.word_index import WordIndex, longest_word

# The answers to so many texts are kept, a byte for each blob.
_TEXTS = 2000
# Of more blobs only those are told that were asked for since: some ranges of a large package have so many.
_MOST_BLOBS = 20_000
_NO, _YES = 1, 2
# To read all words of so many blobs takes as long as to look for about a hundred texts in them.
_MANY, _SEARCHES = 200, 100
_IS_YES = bytes(code == _YES for code in range(256))


class KnownMentions(msgspec.Struct, frozen=True):
    """Some blobs, and by text what is known of each of them, a byte for one."""

    blobs: list[str]
    answers: dict[str, bytes]


class Mentions:
    """Remembers which blobs contain which text, beginning with what is ``known``; each blob has a number."""

    def __init__(self, known: KnownMentions | None = None) -> None:
        self._blobs: list[str] = list(known.blobs) if known is not None else []
        self._numbers = {blob: number for number, blob in enumerate(self._blobs)}
        self._answers = RecentlyUsed[str, bytearray](_TEXTS)
        for text, answers in known.answers.items() if known is not None else ():
            self._answers.put(text, bytearray(answers))
        self._numbered: set[int] = set()
        self._fresh = False
        self._searches = 0
        self._index = WordIndex()

    def numbers(self, blobs: Iterable[str]) -> list[int]:
        """The number of each blob, by which :meth:`among` is asked; new blobs get one."""
        known = self._numbers
        numbers = [known.setdefault(blob, len(known)) for blob in blobs]
        self._blobs += list(known)[len(self._blobs) :] if len(known) > len(self._blobs) else ()
        self._numbered.update(numbers)
        return numbers

    def known(self) -> KnownMentions | None:
        """Return the answers known about the blobs; None where no blob was searched."""
        if not self._fresh:
            return None
        few = len(self._blobs) <= _MOST_BLOBS
        kept = [few or number in self._numbered for number in range(len(self._blobs))]
        told = {text: bytes(compress(answers, kept)) for text, answers in self._answers.items()}
        return KnownMentions(list(compress(self._blobs, kept)), told)

    def among(self, numbers: Sequence[int], texts: Sequence[str], read: Callable[[str], bytes]) -> list[bool]:
        """For each of some blobs, whether it has one of the texts in what ``read`` gives."""
        told = [self._told(numbers, text, read) for text in texts]
        return [any(each) for each in zip(*told, strict=True)] if told else [False] * len(numbers)

    def _told(self, numbers: Sequence[int], text: str, read: Callable[[str], bytes]) -> bytes:
        answers = self._answers.get(text) or self._answers.put(text, bytearray())
        answers.extend(bytes(len(self._blobs) - len(answers)))
        # Thousands of blobs come at once, most of them known: Python must not step through them.
        told = bytes(map(answers.__getitem__, numbers))
        if 0 in told:
            self._look(answers, [n for n in numbers if not answers[n]], text.encode(), read)
            told = bytes(map(answers.__getitem__, numbers))
        return told.translate(_IS_YES)

    def _look(
        self, answers: bytearray, numbers: Sequence[int], needle: bytes, read: Callable[[str], bytes]
    ) -> None:
        """Write down which blobs, of which nothing is known, have a text."""
        self._fresh = True
        self._searches += len(numbers) >= _MANY
        word, sure = longest_word(needle), False
        if word and len(numbers) >= _MANY and self._searches > _SEARCHES:
            lacking = sorted(self._index.lacks(numbers))
            self._index.put((number, read(self._blobs[number])) for number in lacking)
            for number in numbers:
                answers[number] = _NO
            # Others may be of another tree, and read otherwise.
            numbers, sure = sorted(self._index.having(word).intersection(numbers)), word == needle
        for number in numbers:
            answers[number] = _YES if sure or needle in read(self._blobs[number]) else _NO
