"""From the bytes of a log to the few lines worth parsing."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator

from syncbot.triage import bare_messages

# A line with none of these is only read where it stands next to one that has, or in an open traceback.
_TELLING = (
    b"(most recent call last)", b"E   ", b"= FAILURES =", b"= ERRORS =", b"____ ", b"short test summary",
    b"During handling of the above", b"The above exception was", *bare_messages.TELLING,
)  # fmt: skip
# Words that tell something only with what follows: the message of an exception, or the file of a test.
_MESSAGE = rb"[\w.]{0,200}(?:\([\w.]{1,200}\))?(?:: |\x1b)"
_FILE = rb"(?:\x1b\[[\d;]{0,20}m)? \S{1,1000}\.py"
_TELLING_WORDS = (
    *(
        re.compile(word + following)
        for following, words in (
            (_MESSAGE, (b"Error", b"Exception")),
            (_FILE, (b"FAILED", b"Failed", b"ERROR")),
        )
        for word in words
    ),
    *bare_messages.TELLING_CODES,
)
# How much is read before a telling line: pytest prints frames and source before the error.
_BEFORE = 6_000
_LONGEST = 20_000
_BLOCK = 1 << 18


def telling_lines(blocks: Iterable[bytes], is_open: Callable[[], bool]) -> Iterator[tuple[int, bytes]]:
    """Numbered lines of a log that may tell of an error; all while ``is_open``. Memory is bounded."""
    number, rest, is_cut = 1, b"", False
    for block in _gathered(blocks):
        if is_cut:
            _, newline, block = block.partition(b"\n")
            is_cut = not newline
        data = rest + block
        end = data.rfind(b"\n") + 1
        if end == 0 and len(data) >= _LONGEST:
            # A line that may have no end: its beginning is given, the rest is not looked at.
            data, end, is_cut = data[:_LONGEST] + b"\n", _LONGEST + 1, True
        number, used = yield from _of_buffer(data, end, number, is_open, last=False)
        rest = data[used:]
    if rest:
        yield from _of_buffer(rest, len(rest), number, is_open, last=True)


def _gathered(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks that are not small: each costs a look at the end of the one before."""
    pieces: list[bytes] = []
    size = 0
    for block in blocks:
        pieces.append(block)
        size += len(block)
        if size >= _BLOCK:
            yield b"".join(pieces)
            pieces, size = [], 0
    yield b"".join(pieces)


def _of_buffer(
    data: bytes, end: int, number: int, is_open: Callable[[], bool], *, last: bool
) -> Generator[tuple[int, bytes], None, tuple[int, int]]:
    """Lines of ``data[:end]``. Returns the number of the next line and where it begins."""
    at = 0
    found = [search(data, 0, end) for search in _SEARCHES]
    while at < end:
        if not is_open():
            for index, position in enumerate(found):
                if position < at:
                    found[index] = _SEARCHES[index](data, at, end)
            nearest = min(found)
            start = data.rfind(b"\n", at, max(at, min(nearest, end) - _BEFORE)) + 1
            if nearest >= end and last:
                start = end
            if start > at:
                number += data.count(b"\n", at, start)
                at = start
            if nearest >= end:
                break
            line_end = data.find(b"\n", nearest, end) + 1 or end
        else:
            line_end = at + 1
        while at < line_end:
            after = data.find(b"\n", at, end) + 1 or end
            yield number, data[at : min(after, at + _LONGEST)]
            number += 1
            at = after
    return number, at


def _text_search(text: bytes) -> Callable[[bytes, int, int], int]:
    """A search of ``data[start:end]`` for a text: where it stands, or the end."""

    def search(data: bytes, start: int, end: int) -> int:
        position = data.find(text, start, end)
        return end if position < 0 else position

    return search


def _word_search(pattern: re.Pattern[bytes]) -> Callable[[bytes, int, int], int]:
    """Likewise for a pattern."""

    def search(data: bytes, start: int, end: int) -> int:
        found = pattern.search(data, start, end)
        return end if found is None else found.start()

    return search


_SEARCHES = (*map(_text_search, _TELLING), *map(_word_search, _TELLING_WORDS))
