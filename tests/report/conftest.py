"""A real day of vLLM (23 January 2026 in Shanghai) as a report, and reports that hypothesis makes up."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from syncbot.contracts.changes import ChangeKind
from syncbot.impact.analysis import Analysis
from syncbot.impact.changed_files import LineCount
from syncbot.impact.model import Fix, Impact, Location, Verdict
from syncbot.report.build import build
from syncbot.report.model import Report
from syncbot.upstream.commit_range import Span
from syncbot.upstream.git_log import pull_request
from syncbot.upstream.model import Commit, FileChange

DAY = Path(__file__).parent / "data" / "day-2026-01-23.json"
WEB = "https://github.com/vllm-project/vllm"
ROUTING = "dc917cceb877dfd13f98c538c4c96158047d98bd"
PROFILER = "3a63be0faa8e45401b9eddaafaca3deecac0a882"


def commits() -> tuple[tuple[Commit, ...], dict[str, dict[str, LineCount]]]:
    made, lines = [], {}
    for row in json.loads(DAY.read_text(encoding="utf-8")):
        made.append(
            Commit(
                sha=row["sha"],
                parents=(row["parent"],),
                date=datetime.fromisoformat(row["date"]),
                author=row["author"],
                subject=row["subject"],
                body="",
                pr=pull_request(row["subject"]),
                files=tuple(FileChange(f[0], f[1], f[2], None, None) for f in row["files"]),
            )
        )
        lines[row["sha"]] = {f[2] or f[1]: LineCount(f[3], f[4]) for f in row["files"] if len(f) == 5}
    return tuple(made), lines


def impact(
    verdict: Verdict = Verdict.BREAKS, *, commit: str = ROUTING, pr: int | None = 31996, **given: object
) -> Impact:
    values: dict[str, object] = {
        "id": "0c1d5e7f9a",
        "symbol": "vllm.model_executor.layers.fused_moe.FusedMoEMethodBase.apply",
        "kind": ChangeKind.PARAMETER_REMOVED,
        "locations": (Location("src/ascend/moe.py", 41, 5),),
        "message": "FusedMoEMethodBase.apply() no longer takes router, which this override requires",
    }
    return Impact(commit=commit, pr=pr, verdict=verdict, **(values | given))  # type: ignore[arg-type]


IMPACTS = (
    impact(
        locations=tuple(Location("src/ascend/moe.py", line, 5) for line in (41, 90, 95, 99, 120)),
        fix=Fix("override_parameter_removed", {"method": "apply", "class": "FusedMoEMethodBase"}),
    ),
    impact(id="b2", kind=ChangeKind.SYMBOL_REMOVED, message="FusedMoERouter | `capture` of @router is gone"),
    impact(
        Verdict.AT_RISK,
        id="c3",
        commit=PROFILER,
        pr=32393,
        locations=(Location("src/ascend/worker.py", 7),),
        message="ProfilerConfig has new fields",
        contract="call",
    ),
    impact(Verdict.DRIFT, id="d4", message="copied body changed"),
    impact(Verdict.NONE, id="e5", message="looked at and harmless"),
    impact(id="f6", tests_only=True, locations=(Location("tests/test_moe.py", 3),), message="moved"),
)


def day(impacts: tuple[Impact, ...] = IMPACTS) -> Report:
    made, counted = commits()
    span = Span(made[-1].parents[0], made[0].sha, made)
    analysis = Analysis(span, impacts, (("src/ascend/broken.py", "line 3: invalid syntax"),))
    zone = ZoneInfo("Asia/Shanghai")
    return build("vllm", ("ff365eea94", "1cb4341fbc"), analysis, impacts, counted, WEB, zone)


@pytest.fixture
def report() -> Report:
    return day()


@pytest.fixture
def quiet() -> Report:
    return day(())
