from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.errors import UsageError
from syncbot.upstream import moments
from syncbot.upstream.moments import moment, zone

SHANGHAI = ZoneInfo("Asia/Shanghai")
# Saturday, 21 November 2026, 15:24:10 in Shanghai; git's own tests stop its clock by this variable.
NOW = datetime(2026, 11, 21, 7, 24, 10, tzinfo=UTC)


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = str(int(NOW.timestamp()))
    real = moments.git_environment
    monkeypatch.setattr(
        moments, "git_environment", lambda access: real(access) | {"GIT_TEST_DATE_NOW": stopped}
    )


@pytest.fixture
def environment_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-23", "2026-01-23 00:00:00"),
        ("2026/01/23", "2026-01-23 00:00:00"),
        ("01/23/2026", "2026-01-23 00:00:00"),
        ("23.01.2026", "2026-01-23 00:00:00"),
        ("23 Jan 2026", "2026-01-23 00:00:00"),
        ("January 23, 2026", "2026-01-23 00:00:00"),
        ("Fri Jan 23 2026", "2026-01-23 00:00:00"),
        ("2026-01-23 18:30", "2026-01-23 18:30:00"),
        ("2026-01-23T18:30:05", "2026-01-23 18:30:05"),
        ("2026-01-23T18:30:05Z", "2026-01-24 02:30:05"),
        ("2026-01-23 18:30 +0100", "2026-01-24 01:30:00"),
        ("Fri, 23 Jan 2026 10:00:00 +0800", "2026-01-23 10:00:00"),
        ("  2026-01-23   18:30 ", "2026-01-23 18:30:00"),
        ("1769097600", "2026-01-23 00:00:00"),
        ("@1769097600", "2026-01-23 00:00:00"),
        ("@0", "1970-01-01 08:00:00"),
        ("2 days ago", "2026-11-19 15:24:10"),
        ("2.days.ago", "2026-11-19 15:24:10"),
        ("two weeks ago", "2026-11-07 15:24:10"),
        ("1 year 2 months ago", "2025-09-21 15:24:10"),
        ("noon", "2026-11-21 12:00:00"),
        ("yesterday at noon", "2026-11-20 12:00:00"),
        ("noon yesterday", "2026-11-20 12:00:00"),
        ("last friday", "2026-11-20 15:24:10"),
        ("3pm", "2026-11-21 15:00:00"),
    ],
)
@pytest.mark.usefixtures("stopped_clock")
def test_what_git_takes(text: str, expected: str) -> None:
    assert f"{moment(text, 'Asia/Shanghai'):%Y-%m-%d %H:%M:%S}" == expected


@pytest.mark.parametrize(
    "text",
    [
        "florb",
        "",
        "   ",
        "noon florb",
        "2026-01-23 florb",
        "monday",
        "2026-13-45",
        "2026-02-30",
        "2026",
        "3",
        "2026-01",
        "20260123",
        "2 fortnights ago",
        "a week ago",
        "1950-01-01",
        "2150-01-01",
        "v0.32.0",
        "0.32.0",
        "HEAD~3",
        "--all",
        "2026-01-23; rm",
        "yesterday\x00",
        "jan=1",
        "昨天",
        "2026-01-23 99:99:99 pm florb",
    ],
)
def test_what_git_would_ignore_or_misread_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        moment(text, "Asia/Shanghai")
    assert repr(text) in str(caught.value)


def test_the_refusal_names_what_is_accepted() -> None:
    with pytest.raises(UsageError, match=r"give one like '2026-01-23'.*'2 days ago'"):
        moment("florb")


def test_now_and_today() -> None:
    before = datetime.now(SHANGHAI) - timedelta(seconds=2)
    now = moment("now", "Asia/Shanghai")
    assert before <= now <= datetime.now(SHANGHAI)
    today = moment("today", "Asia/Shanghai")
    assert (today.hour, today.minute, today.second) == (0, 0, 0)
    assert timedelta() <= datetime.now(SHANGHAI) - today <= timedelta(days=1, seconds=5)
    # The day of the calendar before, which in Shanghai always has 24 hours.
    assert today - moment("yesterday", "Asia/Shanghai") in (timedelta(days=1), timedelta())


@given(
    st.dates(date(1970, 1, 3), date(2099, 12, 30)),
    st.sampled_from(["Asia/Shanghai", "America/New_York", "UTC"]),
)
def test_a_bare_date_is_midnight_there(day: date, name: str) -> None:
    found = moment(day.isoformat(), name)
    assert found == datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(name))


@pytest.mark.parametrize(
    ("name", "offset"), [("Asia/Shanghai", 8), ("America/New_York", -5), ("CST-8", 8), (":Asia/Tokyo", 9)]
)
def test_without_a_configured_zone_that_of_the_environment(
    environment_zone: pytest.MonkeyPatch, name: str, offset: int
) -> None:
    environment_zone.setenv("TZ", name)
    time.tzset()
    found = moment("2026-01-23")
    assert found.utcoffset() == timedelta(hours=offset)
    assert (found.hour, found.minute) == (0, 0)


def test_the_configured_zone_wins(environment_zone: pytest.MonkeyPatch) -> None:
    environment_zone.setenv("TZ", "America/New_York")
    assert moment("2026-01-23", "Asia/Shanghai") == datetime(2026, 1, 23, tzinfo=SHANGHAI)


def test_an_unknown_zone() -> None:
    with pytest.raises(UsageError, match="no time zone is called 'Asia/Florb'"):
        zone("Asia/Florb")


def test_git_agrees_with_itself(tmp_path: Path) -> None:
    """`git rev-parse --since`, which a range would use, reads an absolute moment as we do."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    command = ["git", "-C", tmp_path, "rev-parse", "--since=2026-01-23 18:30"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"TZ": "Asia/Tokyo"}
    )
    assert done.stdout.strip() == f"--max-age={int(moment('2026-01-23 18:30', 'Asia/Tokyo').timestamp())}"
