"""Moments as git takes them (``yesterday``, ``2 days ago``, ``2026-01-23``), in a time zone."""

from __future__ import annotations

import calendar
import os
import re
import subprocess
import zoneinfo
from datetime import UTC, date, datetime, timedelta, tzinfo

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.git_command import NO_GIT, Access, git_environment

ACCEPTED = "'2026-01-23', '2026-01-23 18:30', '23 Jan 2026', 'yesterday', 'noon', '2 days ago', 'last friday'"

_DATE = r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
_ZONE = r"(?:Z|[+-]\d{2}:?\d{2})"
_NUMERIC = re.compile(rf"{_DATE}(?:[T ]{_TIME} ?{_ZONE}?)?|{_TIME}", re.IGNORECASE)
_BARE_DATE = re.compile(_DATE)
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_EPOCH = re.compile(r"@\d{1,12}|\d{9,12}")

# Days of the calendar; git's own yesterday is this moment, a day ago.
_DAYS = {"today": timedelta(0), "yesterday": timedelta(days=1)}

_CALENDAR = [name.lower() for name in (*calendar.month_name[1:], *calendar.day_name)]
_UNITS = ["second", "minute", "hour", "day", "week", "month", "year"]
_NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "last"]
# git skips a word it does not know. These may be skipped without a change of meaning.
_FILLERS = ["ago", "at", "on", "and"]
_OTHERS = [
    *("yesterday", "noon", "midnight", "tea", "never"),
    *("am", "pm", "utc", "gmt", "z", "t", "th", "st", "nd", "rd"),
]


def zone(timezone: str | None) -> tzinfo:
    """The time zone of an IANA name, else that of ``TZ`` or the machine. Raises UsageError."""
    name = timezone or os.environ.get("TZ", "").removeprefix(":")
    try:
        if name:
            return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        if timezone:
            raise UsageError(
                f"no time zone is called {timezone!r}: give an IANA name such as 'Asia/Tokyo'"
            ) from error
    # TZ may also be a rule of POSIX's, such as CST-8, which only the C library understands.
    local = datetime.now().astimezone().tzinfo
    return local if local is not None else UTC


def moment(text: str, timezone: str | None = None) -> datetime:
    """The moment that ``text`` means to git; a date alone means midnight. Raises UsageError for the rest."""
    words = " ".join(text.split())
    where = zone(timezone)
    if words.lower() == "now":
        return datetime.now(where).replace(microsecond=0)
    if words.lower() in _DAYS:
        words = f"{datetime.now(where) - _DAYS[words.lower()]:%Y-%m-%d}"
    if _EPOCH.fullmatch(words):
        return datetime.fromtimestamp(int(words.removeprefix("@")), where)
    _check(words, text)
    asked = words + " 00:00:00" if _is_bare_date(words) else words
    found = datetime.fromtimestamp(_approxidate(asked, text, timezone), where)
    if (iso := _ISO_DATE.search(words)) and abs(found.date() - _iso_date(iso, text)) > timedelta(days=1):
        raise _not_a_moment(text)  # before 1970 or after 2099, where git's own reading ends
    return found


def _check(words: str, text: str) -> None:
    """Refuse a text of which git would use only a part, or nothing."""
    if iso := _ISO_DATE.search(words):
        _iso_date(iso, text)
    if _NUMERIC.fullmatch(words):
        return
    names = re.findall(r"[^\W\d_]+", words.lower())
    if not names or not all(map(_is_known, names)) or re.search(r"[^\w\s:,./+-]", words):
        raise _not_a_moment(text)


def _is_known(word: str) -> bool:
    named = any(len(word) >= 3 and name.startswith(word) for name in _CALENDAR)
    return named or word in (*_FILLERS, *_OTHERS, *_NUMBERS) or word.removesuffix("s") in _UNITS


def _is_bare_date(words: str) -> bool:
    if _BARE_DATE.fullmatch(words):
        return True
    names = re.findall(r"[^\W\d_]+", words.lower())
    calendar = all(any(name.startswith(word) for name in _CALENDAR) for word in names)
    return calendar and ":" not in words and bool(re.search(r"\d", words))


def _iso_date(found: re.Match[str], text: str) -> date:
    try:
        return date(*(int(part) for part in found.groups()))
    except ValueError as error:
        raise UsageError(f"{text!r} is not a date: {error}") from error


def _approxidate(words: str, text: str, timezone: str | None) -> int:
    """Return git's approxidate of the words. `git config` needs no repository, and reports mistakes."""
    environment = git_environment(Access.FOREIGN) | ({"TZ": timezone} if timezone else {})
    command = ["git", "-c", f"syncbot.when={words}", "config", "--type=expiry-date", "--get", "syncbot.when"]
    try:
        done = subprocess.run(command, capture_output=True, env=environment, cwd="/", check=False)
    except FileNotFoundError as error:
        raise EnvironmentFailure(NO_GIT) from error
    if done.returncode or not done.stdout.strip().isdigit():
        raise _not_a_moment(text)
    return int(done.stdout)


def _not_a_moment(text: str) -> UsageError:
    return UsageError(f"{text!r} is not a moment that git understands: give one like {ACCEPTED}")
