"""Prefixes of the text of a log's line, as a grammar: colours, runners, processes and loggers."""

from __future__ import annotations

import re
from functools import lru_cache

from syncbot.triage.model import Line

_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])")
# Colours whose escape character a pager or a browser wrote out or left out.
_WRITTEN_OUT = re.compile(r"(?:\^\[|␛|\\x1b|\\033)\[[\d;]{0,12}m|(?:^|(?<=[ )]))\[\d{0,2};?\d{1,2}m")
_DAY = r"(?:\d{4}[-/])?\d\d[-/]\d\d"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?"
_WHEN = rf"[\[(]?{_DAY}[ T-]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?[\])]?"
_PLACE = r"[\w./<>()-]{1,120}:\d{1,7}"
_LEVELS = {
    "TRACE": "", "DEBUG": "", "INFO": "", "NOTICE": "", "WARNING": "", "WARN": "", "ERROR": "",
    "CRITICAL": "", "FATAL": "", "E": "ERROR", "W": "WARNING", "I": "INFO", "F": "FATAL",
}  # fmt: skip
_NAMED = "|".join(level for level in _LEVELS if len(level) > 1)

#: Who carried a line here, outermost first; each may stand there once.
_CARRIERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:<br>)+",
        # `job<TAB>step<TAB>time` of a forge's command line, or the time alone as in its archives.
        r"\ufeff?(?:[^\t\n]{1,200}\t[^\t\n]{1,200}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z "
        r"std(?:out|err) [FP] ",
        r"\ufeff?(?:[^\t\n]{1,200}\t[^\t\n]{1,200}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?",
        r"(?:  \| )?\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\] ",
        r"[\w.-]{1,60} +\| ",
    )
)
#: The process that wrote a line; several may stand there.
_PROCESS = re.compile(
    r"\(([^\s()][^()]{0,80}? ?pid=\d{1,20}[^()]{0,60})\) ?"
    r"|\[((?:rank|default|node|gw|worker|Stage-)_?\d+)\]:? ?"
    r"|\[\d+,(\d+)\]<std(?:err|out)>: ?",
)
#: How loggers begin a line: each form has a level, most a time, some a place.
_LOGGERS = tuple(
    re.compile(pattern)
    for pattern in (
        # LEVEL DAY TIME file.py:1], with or without the bracket before the file, or the day and time first.
        rf"(?:{_WHEN} (?:(?:[\w.:-]{{1,80}}|-) ){{0,6}})?\[?(?P<level>{_NAMED})\]?(?::(?=[\w.]+:))?"
        rf"(?: +{_WHEN})?(?: ?(?P<place>\[{_PLACE}\]|(?<= ){_PLACE}\]))?(?: ?(?:[-:]|(?<=:)[\w.]+:))? ?",
        # [E508 03:20:31.678676591 file.ts:1693]
        rf"\[?(?P<level>[EWIF])\d{{3,8}} {_CLOCK}(?: +\d{{1,9}})? (?P<place>{_PLACE}\]) ?",
    )
)
_OPENING = ("(", "[")
# No logger's line begins so; an empty text does.
_QUIET = ("", " ", "_", "=", "-", ">", "|", "+")
_ERRORS = ("ERROR", "CRITICAL", "FATAL")


def normalised(number: int, raw: bytes) -> Line:
    """A line without colours, runner's time, process and logger; what is no UTF-8 is replaced."""
    text = raw.decode("utf-8", "replace").rstrip("\r\n")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "m(" in text[:40] or "^[[" in text or "[0" in text[:80]:
        text = _WRITTEN_OUT.sub("", text).removesuffix("^M")
    if "\r" in text:
        text = text.rpartition("\r")[2]
    text = _uncarried(text)
    process = logged = ""
    head, bracket, rest = text.partition("] ")
    known = _logged_place(head) if bracket and rest[:1] not in ("-", ":") else None
    if known is not None:
        (process, logged), text = known, rest
    else:
        if text[:1] in _OPENING:
            process, text = _process(text)
        logger = _logger(text)
        if logger is not None and _is_logger(logger, text):
            logged, text = _told(logger), text[logger.end() :]
    if logged and not process and text[:1] in _OPENING:
        process, text = _process(text)
    return Line(number, process, logged, text.removeprefix("##[error]"))


def is_error(line: Line) -> bool:
    """Whether a logger says that a line tells of an error."""
    return line.logged.startswith(_ERRORS)


def _uncarried(text: str) -> str:
    # The looks at single characters are for speed alone.
    head = text[:64]
    if (
        text[4:5] == "-" or text[:1] in ("\ufeff", "<", "[") or " | " in head
        or "\t" in text[:400]
    ):  # fmt: skip
        for carrier in _CARRIERS:
            if (found := carrier.match(text)) is not None:
                text = text[found.end() :]
    return text


def _logger(text: str) -> re.Match[str] | None:
    if text[:1] in _QUIET:
        return None
    return next((found for each in _LOGGERS if (found := each.match(text)) is not None), None)


def _told(logger: re.Match[str]) -> str:
    """Level and place of a logger, the place in brackets whoever wrote it."""
    level = _LEVELS[logger["level"]] or logger["level"]
    place = f"[{logger['place'].strip('[]')}]" if logger["place"] else ""
    return f"{level} {place}".rstrip()


@lru_cache(256)
def _logged_place(head: str) -> tuple[str, str] | None:
    """Process and logger of a line whose logger's place ends where ``head`` does, but for its bracket."""
    process, text = _process(head) if head[:1] in _OPENING else ("", head)
    logger = _logger(f"{text}]")
    if logger is None or logger["place"] is None or logger.end() <= len(text):
        return None
    return process, _told(logger)


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
