"""Which blobs have a text in them: the same is asked of nearly the same tree for each commit of a range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from syncbot.api.recent import Recent

# The answers to so many texts are kept, a byte for each blob.
_TEXTS = 1000
_NO, _YES = 1, 2


class Mentions:
    """Remembers for each text and blob whether the one is in the other."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._answers = Recent[str, bytearray](_TEXTS)

    def among(
        self, blobs: Iterable[tuple[str, str]], texts: Sequence[str], read: Callable[[str], bytes]
    ) -> Iterator[str]:
        """Of some named blobs, the names of those that have one of the texts in what ``read`` gives."""
        asked = [(text.encode(), self._answers_to(text)) for text in texts]
        numbers = self._numbers
        for name, blob in blobs:
            number = numbers.setdefault(blob, len(numbers))
            for needle, answers in asked:
                if number >= len(answers):
                    answers.extend(bytes(len(numbers) - len(answers)))
                if not answers[number]:
                    answers[number] = _YES if needle in read(blob) else _NO
                if answers[number] == _YES:
                    yield name
                    break

    def _answers_to(self, text: str) -> bytearray:
        known = self._answers.get(text)
        return known if known is not None else self._answers.put(text, bytearray(len(self._numbers)))
