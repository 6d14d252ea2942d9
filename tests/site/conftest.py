"""A site with everything on it: a small project, and a real day of vLLM."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from syncbot.report.model import Report
from syncbot.site.build import build
from syncbot.site.catalogue import words
from syncbot.site.days import days
from syncbot.site.model import SiteContent
from syncbot.site.patches import PatchPage, Revision, lane_diffs
from syncbot.site.upgrades import upgrade_pages
from syncbot.site.written_files import put
from tests.report.conftest import day

from .project import CASES, EVIL, inputs, matrix

ROOT = Path(__file__).parents[2]
ZONE = ZoneInfo("Asia/Shanghai")
FIRST = date(2026, 1, 1)


UPGRADE = f"""# vllm 0.25.1 to 0.26.0

**0.26.0 breaks 1 line of the project.**

## Breaking (1)

- `src/ours.py:6`: `f()` no longer takes x {EVIL} — 0.26.0

<details><summary>2 of 3 names used here: same signature and body</summary>

- `vllm.a.b`

</details>

<!-- syncbot covers vllm v0.25.1 v0.26.0 -->
"""


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
def patches() -> tuple[PatchPage, ...]:
    found = inputs()
    diffs = lane_diffs(found.patches, found.matrix, found.files)
    history = (Revision("a" * 40, "2026-01-23", "Ada", f"Add it {EVIL}"),)
    return tuple(PatchPage(patch, diffs.get(patch.id, ()), history) for patch in found.patches)


def known(reports: list[Report], language: str = "en") -> SiteContent:
    return SiteContent(
        "plugin", words(language), matrix(), CASES, days(reports), patches(), upgrade_pages({"a.md": UPGRADE})
    )


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
    folder = tmp_path_factory.mktemp("pages") / "deep" / "site"
    put(folder, pages)
    return folder
