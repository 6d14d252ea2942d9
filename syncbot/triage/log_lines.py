"""From the bytes of a log to the few lines worth parsing, without what loggers put before them."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import lru_cache

from syncbot.triage.model import Line

# A line with none of these is only read where it stands next to one that has, or in an open traceback.
_TELLING = (
    b"(most recent call last)", b"E   ", b"= FAILURES =", b"= ERRORS =", b"____ ", b"short test summary",
    b"During handling of the above", b"The above exception was", b"o space left on device", b"ut of memory",
    b"ddress already in use", b"egmentation fault",
)  # fmt: skip
# Words that tell something only with what follows: the message of an exception, or the file of a test.
_MESSAGE = rb"[\w.]{0,200}(?:\([\w.]{1,200}\))?(?:: |\x1b)"
_FILE = rb"(?:\x1b\[[\d;]{0,20}m)? \S{1,1000}\.py"
_TELLING_WORDS = tuple(
    re.compile(word + following)
    for following, words in ((_MESSAGE, (b"Error", b"Exception")), (_FILE, (b"FAILED", b"Failed", b"ERROR")))
    for word in words
)
# How much is read before a telling line: pytest prints frames and source before the error.
_BEFORE = 6_000
_LONGEST = 20_000
_BLOCK = 1 << 18

_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])")
# `job<TAB>step<TAB>time` of GitHub's command line, or the time alone as in its archives.
_RUNNER = re.compile(
    r"\ufeff?(?:[^\t\n]{1,200}\t[^\t\n]{1,200}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?"
)
_COMPOSE = re.compile(r"[\w.-]{1,60} +\| ")
_PROCESS = re.compile(
    r"\(([^\s()][^()]{0,80}? ?pid=\d{1,20}[^()]{0,60})\) ?|\[((?:rank|default|node|gw|worker)_?\d+)\]:? ?"
    r"|\[\d+,(\d+)\]<std(?:err|out)>: ?",
)
_LEVELS = "TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL"
_OPENING = ("(", "[")
# No logger's line begins so; an empty text does.
_QUIET = ("", " ", "_", "=", "-", ">", "|", "+")
_WHEN = r"[\[(]?(?:\d{4}[-/])?\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?[\])]?"
_LOGGED = re.compile(
    rf"(?:{_WHEN} (?:- )?(?:[\w.:-]{{1,80}} )?(?:- )?)?\[?(?P<level>{_LEVELS})\]?(?::(?=[\w.]+:))?"
    rf"(?: {_WHEN})?(?: ?(?P<place>\[[\w./<>-]{{1,120}}:\d+\]))?(?: ?(?:[-:]|(?<=:)[\w.]+:))? ?"
)


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


def normalised(number: int, raw: bytes) -> Line:
    """A line without colours, runner's time, process and logger; what is no UTF-8 is replaced."""
    text = raw.decode("utf-8", "replace").rstrip("\r\n")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.rpartition("\r")[2]
    # The looks at single characters are for speed alone.
    may_be_stamped = text[4:5] == "-" or text[:1] == "\ufeff" or "\t" in text[:400]
    if may_be_stamped and (stamp := _RUNNER.match(text)) is not None:
        text = text[stamp.end() :]
    if " | " in text[:64] and (service := _COMPOSE.match(text)) is not None:
        text = text[service.end() :]
    process = logged = ""
    head, bracket, rest = text.partition("] ")
    known = _logged_place(head) if bracket and rest[:1] not in ("-", ":") else None
    if known is not None:
        (process, logged), text = known, rest
    else:
        if text[:1] in _OPENING:
            process, text = _process(text)
        if (
            text[:1] not in _QUIET
            and (logger := _LOGGED.match(text)) is not None
            and _is_logger(logger, text)
        ):
            logged, text = f"{logger['level']} {logger['place'] or ''}".rstrip(), text[logger.end() :]
    if logged and not process and text[:1] in _OPENING:
        process, text = _process(text)
    return Line(number, process, logged, text.removeprefix("##[error]"))


@lru_cache(256)
def _logged_place(head: str) -> tuple[str, str] | None:
    """Process and logger of a line whose logger's place ends where ``head`` does, but for its bracket."""
    process, text = _process(head) if head[:1] in _OPENING else ("", head)
    logger = _LOGGED.match(f"{text}]") if text[:1] not in _QUIET else None
    if logger is None or logger["place"] is None or logger.end() <= len(text):
        return None
    return process, f"{logger['level']} {logger['place']}"


def _process(text: str) -> tuple[str, str]:
    names = ""
    for _ in range(4):
        found = _PROCESS.match(text)
        if found is None:
            break
        name = found[1] or found[2] or f"rank{found[3]}"
        names = f"{names}, {name}" if names else name
        text = text[found.end() :]
        if text[:1] not in _OPENING:
            break
    return names, text


def _is_logger(found: re.Match[str], text: str) -> bool:
    """A level alone is a logger's only with a time, a place or a colon: ``ERROR tests/a.py`` is pytest's."""
    if found["place"]:
        return True
    head = text[: found.end()].rstrip()
    return head != found["level"] and (found["level"] != head.strip("[]") or head.startswith("["))
