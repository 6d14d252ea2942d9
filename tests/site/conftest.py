"""A site with everything on it: a matrix in all states, real patches, and a real day of vLLM."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from syncbot.config import load
from syncbot.lanes import matrix as matrices
from syncbot.lanes.matrix import Evidence, Lane, Matrix
from syncbot.lanes.update import sources_of
from syncbot.patching import model
from syncbot.report.model import Report
from syncbot.site.build import build
from syncbot.site.days import days
from syncbot.site.model import Known
from syncbot.site.patches import Revision, Told, lane_diffs
from syncbot.site.words import words
from tests.report.conftest import IMPACTS, day

ROOT = Path(__file__).parents[2]
ZONE = ZoneInfo("Asia/Shanghai")
FIRST = date(2026, 1, 1)
#: What strangers may write, in a commit message or where they can.
EVIL = "</script><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>\" '\u202e & <b>"


@cache
def in_every_state() -> Matrix:
    """The project's matrix; of the oldest lane, a check each has failed, become stale and gone missing."""
    found = matrices.load(ROOT / "compat_matrix.yaml")
    lane: Lane = min(found.lanes, key=lambda lane: lane.version)
    first, second, third, *rest = sorted(lane.checks)
    known = Evidence(status="fail", command="check it", date="2026-01-23T10:00:00+00:00", digest=lane.sources)
    checks = {name: lane.checks[name] for name in rest} | {
        first: known.model_copy(update={"details": f"Segmentation fault {EVIL}"}),
        second: known.model_copy(update={"status": "pass", "digest": "0" * 64}),
    }
    assert third not in checks
    return found.with_lane(lane.model_copy(update={"checks": checks}))


def moved(report: Report, to: date, name: str = "") -> Report:
    """The same commits on another day; with a name, as other commits that break other files."""
    commits = []
    renamed = {"": ""}
    for commit in report.commits:
        sha = f"{hash_of(name)}{commit.sha[8:]}" if name else commit.sha
        renamed[commit.sha] = sha
        commits.append(replace(commit, sha=sha, date=datetime.combine(to, time(12), ZONE)))
    impacts = [replace(i, commit=renamed[i.commit], id=f"{i.id}{name}") for i in report.impacts]
    return replace(report, commits=tuple(commits), impacts=tuple(impacts))


def hash_of(name: str) -> str:
    return f"{sum(ord(letter) * 131**at for at, letter in enumerate(name)) % 16**8:08x}"


@cache
def patches() -> tuple[Told, ...]:
    every = model.load(ROOT / "patches")
    diffs = lane_diffs(every, in_every_state(), sources_of(load(ROOT)))
    history = (Revision("a" * 40, "2026-01-23", "Ada", f"Add it {EVIL}"),)
    return tuple(Told(patch, diffs.get(patch.id, ()), history) for patch in every)


def known(reports: list[Report], language: str = "en") -> Known:
    return Known("plugin", words(language), in_every_state(), days(reports), patches())


def month() -> list[Report]:
    """Reports on some days of January, with a stranger's words in them."""
    real = day()
    worst = replace(real.commits[0], subject=EVIL, author=EVIL)
    evil = replace(real, commits=(worst, *real.commits[1:]))
    others = [
        moved(real if at % 3 else replace(real, impacts=()), FIRST + timedelta(at), str(at))
        for at in range(20)
    ]
    return [*others, evil]


@pytest.fixture(scope="session")
def pages() -> dict[str, bytes]:
    """The files of a site."""
    return build(known(month()), lambda name: "https://github.com/vllm-project/vllm")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, pages: dict[str, bytes]) -> Path:
    """A site on disk."""
    from syncbot.site.output import put

    folder = tmp_path_factory.mktemp("pages") / "deep" / "site"
    put(folder, pages)
    return folder


__all__ = ["IMPACTS", "day"]
