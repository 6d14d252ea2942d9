"""Tracebacks as Python prints them (3.9 to 3.14), chained ones included, and errors that stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncbot.triage import bare_messages
from syncbot.triage.exception_chain import Chain
from syncbot.triage.model import Frame, Line, Raised, Trace

HEADER = "Traceback (most recent call last):"
CONNECTORS = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}
# Printed inside an exception's message; what follows is where that exception came from.
_INSIDE = re.compile(r"-- Process \d+ terminated with the following error:|Original Traceback.{0,40}:")

_FRAME = re.compile(
    r' *File "(?P<path>[^"]{1,1000})", line (?P<line>\d{1,9})(?:,? in (?P<function>.{1,300}))?'
)
_ERROR = re.compile(
    r"(?P<type>[A-Za-z_][\w.]{0,200}(?:\.<locals>\.[\w.]{1,100})?)"
    r"(?:\((?P<inner>[\w.]{1,200})\))?(?::(?: (?P<message>.*))?)?"
)
_NOT_TYPES = frozenset({"TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL"})
# What people write before an error that they quote: a mark of comments, a level, a label in brackets.
_ALONE = re.compile(
    r"(?:# ?|`|(?:ERROR|CRITICAL|FATAL|\[ERROR\]):? |[\[【(*]{1,2}\w{1,20}[\]】)*]{1,2}[:\uff1a]? ?)?"
    r"(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,12}[A-Za-z]\w{0,80}?"
    r"(?:Error|Exception|Fault|Interrupt|Exit)(?:Group)?)(?:\((?P<inner>[\w.]{1,200})\))?: (?P<message>\S.*)"
)
_PLACE = re.compile(r"\S{1,500}\.py:\d+: ")
_MOST_FRAMES, _MOST_LINES, _MOST_TEXT, _JUNK = 400, 40, 4_000, 60


class Tracebacks:
    """Takes lines of one process; complete exceptions go to the chain."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self.test = ""
        self._state = "outside"
        # Whether frames began without a heading: an excerpt, which what is no frame ends.
        self._is_excerpt = False
        self._indent = 0
        self._most_lines = _MOST_LINES
        self._logged = ""
        self._frames: list[Frame] = []
        self._begun = 0
        self._junk = 0
        self._type = ""
        self._message: list[str] = []

    @property
    def is_open(self) -> bool:
        """Whether the next line belongs to something that was begun."""
        return self._state != "outside"

    def takes_at_once(self, line: Line) -> bool:
        """Take a line if it is a frame or source below one: most lines of tracebacks are, and end nothing."""
        if self._state != "frames" or line.logged != self._logged or line.text[:1] != " ":
            return False
        text = line.text.lstrip(" ")
        if text.startswith("File ") and (found := _FRAME.match(line.text)) is not None:
            self._frame(found)
            return True
        indent, text = len(line.text) - len(text), text.strip()
        if not text or indent <= self._indent or text.endswith(HEADER):
            return False
        self._source(text)
        return True

    def feed(self, line: Line) -> Iterator[Trace]:
        """Take the next line; traces that ended with it are given."""
        text = line.text.strip()
        if text.endswith(HEADER) and len(text) <= len(HEADER) + 120:
            yield from self._header(line, text)
        elif text in CONNECTORS:
            self._end_error()
            if not self._chain.is_empty:
                self._chain.link, self._state, self._junk = CONNECTORS[text], "after", 0
        elif self._state == "frames":
            yield from self._in_frames(line, text)
        elif self._state == "message":
            yield from self._in_message(line, text)
        elif self._state == "after" and self._still_after(line, text):
            self._junk += 1
        else:
            if self._state == "after":
                yield from self._leave()
            found = _FRAME.match(line.text)
            # A dump of threads has no comma before `in`, and no exception below.
            if found is not None and ", in " in found[0]:
                self._excerpt(line, found)
            else:
                yield from self._alone(line, text)

    def finish(self) -> Iterator[Trace]:
        """Yield the remaining traces, as far as they were read."""
        self._end_error()
        yield from self._leave()

    def _leave(self) -> Iterator[Trace]:
        self._state, self._frames = "outside", []
        yield from self._chain.finish()

    def _header(self, line: Line, text: str) -> Iterator[Trace]:
        self._end_error()
        yield from self._chain.begin()
        self._state, self._frames, self._junk, self._is_excerpt = "frames", [], 0, False
        self._indent = 0 if text != HEADER else len(line.text) - len(line.text.lstrip(" "))
        self._logged, self._begun = line.logged, line.number

    def _excerpt(self, line: Line, found: re.Match[str]) -> None:
        """The first frame of an excerpt: its beginning was left out."""
        self._state, self._frames, self._junk, self._is_excerpt = "frames", [], 0, True
        self._indent = max(0, len(line.text) - len(line.text.lstrip(" ")) - 2)
        self._logged, self._begun = line.logged, line.number
        self._frame(found)

    def _in_frames(self, line: Line, text: str) -> Iterator[Trace]:
        if line.logged != self._logged:
            yield from self._skipped(line)
            return
        found = _FRAME.match(line.text)
        if found is not None:
            self._frame(found)
            return
        indent = len(line.text) - len(line.text.lstrip(" "))
        if text and indent > self._indent:
            self._source(text)
            return
        error = _ERROR.fullmatch(text[:_MOST_TEXT])
        if error is not None and error["type"] not in _NOT_TYPES and _is_class(error["type"]):
            self._start_error(error)
        else:
            yield from self._skipped(line)

    def _skipped(self, line: Line) -> Iterator[Trace]:
        self._junk += 1
        if self._is_excerpt and line.text.strip():
            yield from self.finish()
            yield from self.feed(line)
        elif self._junk > _JUNK:
            yield from self.finish()

    def _frame(self, found: re.Match[str]) -> None:
        if len(self._frames) < _MOST_FRAMES:
            path, line, function = found.group("path", "line", "function")
            self._frames.append(Frame(path, int(line), (function or "").strip()))

    def _source(self, text: str) -> None:
        """A line of source below a frame; marks below it are left out."""
        if self._frames and not self._frames[-1].code and text.strip("~^ "):
            last = self._frames[-1]
            self._frames[-1] = Frame(last.path, last.line, last.function, text[:400])

    def _start_error(self, found: re.Match[str]) -> None:
        self._type, self._message = found["type"], [found["message"] or ""]
        self._state, self._junk, self._most_lines = "message", 0, _MOST_LINES

    def _in_message(self, line: Line, text: str) -> Iterator[Trace]:
        if _FRAME.match(line.text) or _INSIDE.fullmatch(text):
            # The message holds the traceback of what it came from.
            self._end_error()
            self._chain.link = "inner"
            self._state, self._frames, self._begun = "frames", [], line.number
            self._indent = 0
            if _FRAME.match(line.text):
                yield from self._in_frames(line, text)
        elif not text or line.logged != self._logged or text == '"""' or _begins_something(text):
            if not text and not any(self._message):
                # Some messages begin with empty lines.
                self._junk += 1
                if self._junk <= 3:
                    return
            self._end_error()
            if text:
                yield from self.feed(line)
        elif len(self._message) < self._most_lines:
            self._message.append(text)

    def _end_error(self) -> None:
        """The exception whose message was being read is complete."""
        if self._state != "message":
            return
        message = "\n".join(self._message).strip()[:_MOST_TEXT]
        if not self._type.endswith("RemoteTraceback"):
            self._chain.add(Raised(self._type, message, tuple(self._frames)), self._begun, self.test)
        self._state, self._frames, self._junk = "after", [], 0

    def _still_after(self, line: Line, text: str) -> bool:
        """Whether a connector to another exception may still come."""
        return self._junk < 6 and (not text or text == '"""' or bool(self._chain.link))

    def _alone(self, line: Line, text: str) -> Iterator[Trace]:
        """An error that no traceback was printed for."""
        found = _ALONE.fullmatch(text[:_MOST_TEXT])
        if found is not None and found["type"] not in _NOT_TYPES:
            self._logged, self._begun = line.logged, line.number
            yield from self._chain.finish()
            self._start_error(found)
            self._end_error()
        elif bare_messages.is_told(text[:_MOST_TEXT]) and not line.logged.startswith(("INFO", "DEBUG")):
            yield from self._chain.finish()
            # What belongs to such a message was printed by itself, whoever logged the message.
            self._logged, self._begun = "", line.number
            self._frames, self._type, self._message = [], "", [text[:_MOST_TEXT]]
            self._state, self._junk = "message", 0
            self._most_lines = 1 + bare_messages.lines_below(text)
            if self._most_lines == 1:
                yield from self.finish()


def _is_class(name: str) -> bool:
    """Whether a name is written like that of an exception; some of C modules are in small letters."""
    last = name.rpartition(".")[2].lstrip("_")
    return last[:1].isupper() or (name != last and last.endswith(("error", "timeout")))


def _begins_something(text: str) -> bool:
    """Whether a line below a message is not part of it."""
    return text.startswith(("Exception ignored in", "=====", "-----", "____")) or bool(_PLACE.match(text))
