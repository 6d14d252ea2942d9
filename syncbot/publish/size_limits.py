"""A long Markdown text in parts that GitHub takes: cut before headings, else between blocks, else lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: GitHub refuses the body of an issue, comment or pull request that is longer.
LIMIT = 65_536

_HEADING = re.compile(r"#{1,6} ")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DELIMITER = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")

# How good it is to cut before a line; a cut within a line is the last resort.
_BEFORE_HEADING, _BETWEEN_BLOCKS, _BETWEEN_LINES = 3, 2, 1


def size(text: str) -> int:
    """The length of a text in UTF-16 units: never less than GitHub counts, whichever way it counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, how good a cut before it is, and what a cut there has to close and to open again."""

    text: str
    cut: int
    close: str = ""
    reopen: str = ""


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text in parts of at most ``limit`` characters. A table, code block or ``<details>`` that is cut is
    closed, and opened again in the next part."""
    if size(text) <= limit:
        return [text]
    lines = _lines(_short_enough(text, limit // 2), limit // 4)
    parts: list[str] = []
    start, reopen = 0, ""
    while start < len(lines):
        end = _end(lines, start, limit - size(reopen) - 1)
        close = lines[end].close if end < len(lines) else ""
        body = "".join(line.text for line in lines[start:end])
        parts.append(f"{reopen}{body}{close}".strip("\n") + "\n")
        start, reopen = end, lines[end].reopen if end < len(lines) else ""
    return parts


def _end(lines: list[_Line], start: int, limit: int) -> int:
    """Where the part that begins at ``start`` ends: at the last of the best cuts that fit."""
    used, best, at = 0, 1, start + 1
    for index in range(start, len(lines)):
        if used > limit:
            return at
        line = lines[index]
        if index > start and used + size(line.close) <= limit and line.cut >= best:
            best, at = line.cut, index
        used += size(line.text)
    return at if used > limit else len(lines)


def _short_enough(text: str, longest: int) -> str:
    """The text with every line cut that is longer."""
    lines = []
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        while size(line) > longest:
            # A character has one or two units.
            lines.append(line[: longest // 2] + "\n")
            line = line[longest // 2 :]
        lines.append(line)
    return "".join(lines)


def _lines(text: str, most: int) -> list[_Line]:
    """The lines of a text; at most so many characters are opened again."""
    raw = re.findall(r"[^\n]*\n|[^\n]+", text)
    found: list[_Line] = []
    fence, table, details = "", "", ""
    for index, line in enumerate(raw):
        fold = "\n</details>\n" if details else ""
        opens = _FENCE.match(line)
        if fence:
            mark = fence.strip()[:3]
            found.append(_Line(line, _BETWEEN_LINES, f"{mark}\n{fold}", _at_most(most, details + fence)))
            fence = "" if line.strip().startswith(mark) and not line.strip(" \n`~") else fence
            continue
        if table and not line.strip():
            table = ""
        if table:
            second = raw[index - 1] + line == table
            cut = 0 if second else _BETWEEN_LINES
            found.append(_Line(line, cut, fold, _at_most(most, details + table)))
            continue
        after_blank = index > 0 and not raw[index - 1].strip()
        cut = _BEFORE_HEADING if _HEADING.match(line) else _BETWEEN_BLOCKS if after_blank else _BETWEEN_LINES
        found.append(_Line(line, cut, fold, _at_most(most, details)))
        if opens:
            fence = line
        elif "|" in line and index + 1 < len(raw) and _delimits(raw[index + 1]):
            table = line + raw[index + 1]
        elif line.startswith("<details"):
            details = f"{line.rstrip()}\n\n"
        elif line.startswith("</details>"):
            details = ""
    return found


def _delimits(line: str) -> bool:
    return "-" in line and _DELIMITER.fullmatch(line.strip()) is not None


def _at_most(most: int, reopened: str) -> str:
    return reopened if size(reopened) <= most else ""
