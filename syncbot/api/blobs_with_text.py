"""Which blobs contain a text: a range asks that of nearly the same tree for each commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from syncbot.api.recently_used import RecentlyUsed

# The answers to so many texts are kept, a byte for each blob.
_TEXTS = 1000
_NO, _YES = 1, 2
_IS_YES = bytes(code == _YES for code in range(256))


class Mentions:
    """Remembers which blobs contain which text; each blob has a number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._blobs: list[str] = []
        self._answers = RecentlyUsed[str, bytearray](_TEXTS)

    def numbers(self, blobs: Iterable[str]) -> list[int]:
        """The number of each blob, by which :meth:`among` is asked; new blobs get one."""
        known = self._numbers
        numbers = [known.setdefault(blob, len(known)) for blob in blobs]
        self._blobs += list(known)[len(self._blobs) :] if len(known) > len(self._blobs) else ()
        return numbers

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
            needle = text.encode()
            for number in numbers:
                if not answers[number]:
                    answers[number] = _YES if needle in read(self._blobs[number]) else _NO
            told = bytes(map(answers.__getitem__, numbers))
        return told.translate(_IS_YES)
