"""Lines that a logger marked as errors, counted as a log passes by: they tell that something failed where no
exception was printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from syncbot.triage.line_prefixes import is_error, normalised

# Each match goes to the end of its line, so that a line counts once for each word.
_WORDS = tuple((word, re.compile(word + rb"\b[^\n]*")) for word in (b"ERROR", b"CRITICAL", b"FATAL"))
# So many lines with such a word are looked at for one that a logger wrote.
_LOOKS = 50
_LONGEST = 20_000


@dataclass(slots=True)
class ErrorLines:
    """How many lines of logs are marked as errors, and the text of the first that a logger wrote; no text
    where none of those looked at was a logger's."""

    count: int = 0
    first: str = ""
    _looks: int = field(default=0, repr=False)

    def watched(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The same blocks; what passes by is counted."""
        rest = b""
        for block in blocks:
            data = rest + block
            end = data.rfind(b"\n") + 1
            self._add(data[:end])
            rest = data[end : end + _LONGEST]
            yield block
        self._add(rest)

    def _add(self, lines: bytes) -> None:
        for word, pattern in _WORDS:
            found = len(pattern.findall(lines))
            self.count += found
            at = -1
            while found and not self.first and self._looks < _LOOKS:
                at = lines.find(word, at + 1)
                if at < 0:
                    break
                self._looks += 1
                self._look(lines[lines.rfind(b"\n", 0, at) + 1 :][:_LONGEST].partition(b"\n")[0])

    def _look(self, raw: bytes) -> None:
        line = normalised(0, raw)
        if is_error(line) and line.text.strip():
            self.first = line.text.strip()[:400]
