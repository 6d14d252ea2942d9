"""The lines that pytest prints about failures: long and short entries, one-line entries, and the summary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncbot.triage.exception_chain import Chain
from syncbot.triage.model import FailedTest, Frame, Line, Raised, Trace
from syncbot.triage.traceback_lines import CONNECTORS

_SECTION = re.compile(r"=+ (FAILURES|ERRORS|.{1,80}) =+")
_ENTRY = re.compile(r"_+ (?P<name>[^_\s].{0,600}?|_\S.{0,600}?) _+")
_DASHES = re.compile(r"-+ (?:Captured|live|generated) .{1,80} -+")
_ENTRY_WORDS = re.compile(r"(?:ERROR (?:collecting|at setup of|at teardown of)|\[doctest\]) ")
_PLACE = re.compile(
    r"(?P<path>[^\s:][^:\n]{0,500}?\.pyx?):(?P<line>\d{1,9}):(?P<rest>| | in .{1,300}| [A-Za-z_][\w.]{0,200})"
)
_ONE_LINE = re.compile(
    r"(?P<path>[^\s:][^:\n]{0,500}?\.pyx?):(?P<line>\d{1,9}): "
    r"(?P<type>[A-Za-z_][\w.]{0,200}): (?P<message>.+)"
)
_E = re.compile(r"E {3,}(?P<text>.*)|E")
_TYPED = re.compile(r"(?P<type>[A-Za-z_][\w.]{0,200})(?:: ?(?P<message>.*))?")
_DEF = re.compile(r"(?:async )?def (\w{1,100})\(")
_MOST_FRAMES, _MOST_LINES, _MOST_TEXT = 200, 40, 4_000


def failed_test(line: Line, source: str) -> FailedTest | None:
    """A line of pytest's summary such as ``FAILED tests/test_a.py::test_b[x] - TypeError: …``."""
    text = line.text.removeprefix("# ")
    word, _, rest = text.partition(" ")
    if word not in ("FAILED", "ERROR", "Failed") or ".py" not in rest or line.logged:
        return None
    test, _, error = rest.partition(" - ")
    path, _, name = test.partition("::")
    if not path.endswith(".py") or any(c.isspace() for c in path):
        return None
    return FailedTest(test.split(" -> ")[0].strip() if name else path, error.strip(), source, line.number)


class PytestEntries:
    """Takes the lines of pytest's FAILURES and ERRORS sections."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self.test = ""
        self._inside = False
        self._captured = False
        self._frames: list[Frame] = []
        self._function = ""
        self._code = ""
        self._error: list[str] = []
        self._begun = 0

    @property
    def is_open(self) -> bool:
        """Whether the next line belongs to an entry that was begun."""
        return (self._inside and not self._captured) or bool(self._error)

    def takes(self, line: Line, *, within: bool) -> bool:
        """Whether a line is pytest's: inside an entry all but tracebacks, which it may stand ``within``."""
        text = line.text
        if line.logged:
            return False
        if (
            _E.fullmatch(text)
            or (text[:1] == "_" and _entry(text))
            or (text[:1] == "=" and _SECTION.fullmatch(text))
        ):
            return True
        if _DASHES.fullmatch(text):
            return self._inside
        if _one_line(text):
            return not self._captured
        if within or text.lstrip().startswith("Traceback (most"):
            return False
        return self.is_open or (not self._captured and _PLACE.fullmatch(text) is not None)

    def feed(self, line: Line) -> Iterator[Trace]:
        """Take the next line; traces that ended with it are given."""
        text = line.text
        if text[:1] == "=" and (section := _SECTION.fullmatch(text)):
            yield from self.finish()
            self._inside, self._captured = section[1] in ("FAILURES", "ERRORS"), False
        elif text[:1] == "_" and (name := _entry(text)):
            yield from self.finish()
            self._inside, self._captured, self.test = True, False, name
        elif _DASHES.fullmatch(text):
            yield from self._end()
            self._captured = True
        elif (e := _E.fullmatch(text)) is not None:
            yield from self._e_line(e["text"] or "", line.number)
        elif text in CONNECTORS:
            self._end_error()
            self._chain.link = CONNECTORS[text]
        elif (whole := _one_line(text)) is not None and not self._frames:
            yield from self._end()
            self._frames = [Frame(whole["path"], int(whole["line"]))]
            self._error, self._begun = [f"{whole['type']}: {whole['message']}"], line.number
            yield from self._end()
        elif (place := _PLACE.fullmatch(text)) is not None:
            yield from self._place(place)
        else:
            yield from self._other(text)

    def finish(self) -> Iterator[Trace]:
        """Yield the remaining trace, as far as it was read."""
        yield from self._end()
        self._inside, self.test = False, ""

    def _place(self, found: re.Match[str]) -> Iterator[Trace]:
        rest = found["rest"].strip()
        short = rest.startswith("in ")
        if self._error and short:
            # In short entries the error comes last: another one begins.
            yield from self._end()
        if len(self._frames) < _MOST_FRAMES:
            function = rest.removeprefix("in ") if short else self._function
            self._frames.append(Frame(found["path"], int(found["line"]), function, self._code))
        self._code, self._function = "", ""
        if self._error:
            # In long entries it stands before the last place.
            self._end_error()

    def _e_line(self, text: str, number: int) -> Iterator[Trace]:
        if not self._error:
            yield from self._chain.begin()
            self._begun = number
        if len(self._error) < _MOST_LINES:
            self._error.append(text.strip()[:_MOST_TEXT])

    def _other(self, text: str) -> Iterator[Trace]:
        stripped = text.strip()
        if text.startswith(">"):
            self._code = text[1:].strip()[:400]
        elif (named := _DEF.match(stripped)) is not None:
            self._function = named[1]
        elif text.startswith("    ") and self._frames and not self._frames[-1].code and not self._error:
            last = self._frames[-1]
            if set(stripped) - set("~^ "):
                self._frames[-1] = Frame(last.path, last.line, last.function, stripped[:400])
        if self._error and not self._inside and stripped:
            yield from self._end()

    def _end_error(self) -> None:
        """The exception whose lines were being read is complete."""
        if self._error:
            self._chain.add(_raised(self._error, self._frames), self._begun, self.test)
        self._error, self._frames = [], []
        self._code, self._function = "", ""

    def _end(self) -> Iterator[Trace]:
        self._end_error()
        yield from self._chain.finish()


def _raised(lines: list[str], frames: list[Frame]) -> Raised:
    first, *others = lines
    found = _TYPED.fullmatch(first)
    if found is None or (found["message"] is None and not _is_class(found["type"])):
        # A plain `assert`: pytest leaves out the name of its exception.
        return Raised("AssertionError", "\n".join(lines).strip()[:_MOST_TEXT], tuple(frames))
    return Raised(
        found["type"], "\n".join([found["message"] or "", *others]).strip()[:_MOST_TEXT], tuple(frames)
    )


def _one_line(text: str) -> re.Match[str] | None:
    """An entry of ``--tb=line``; compilers and warnings look alike."""
    found = _ONE_LINE.fullmatch(text)
    return found if found and _is_class(found["type"]) and not found["type"].endswith("Warning") else None


def _is_class(name: str) -> bool:
    return name.rpartition(".")[2][:1].isupper() and " " not in name


def _entry(text: str) -> str | None:
    """The test named in the heading of an entry, None for other lines."""
    found = _ENTRY.fullmatch(text.rstrip())
    if found is None or set(found["name"]) <= {"_", " "}:
        return None
    return _ENTRY_WORDS.sub("", found["name"], count=1)
