"""Logs of real runs, each with its guilty change: what triage makes of them, first in rank."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from syncbot import config
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import backend_of, opened
from syncbot.triage.folded_failures import causes
from syncbot.triage.guilty_commits import diagnosed
from syncbot.triage.log_paths import KnownFiles
from syncbot.triage.read_logs import read
from syncbot.triage.searched_range import SearchedRange
from syncbot.upstream.commit_range import between
from syncbot.upstream.opening import open_upstream

from .world import PLUGIN, TRUTH, Engine, write

BACKEND = Path(__file__).parents[2] / "backend"
CORPUS = Path(__file__).parent / "corpus"
CASES: dict[str, dict[str, Any]] = json.loads((CORPUS / "cases.json").read_text(encoding="utf-8"))
#: A file of the backend that has another place now than when the logs were made.
MOVED = "src/ascend_backend/worker.py"
OF_ENGINE = sorted(name for name in CASES if not name.startswith("device-"))


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchedRange]:
    """The whole history of ``engine``, held against the backend that was written for its beginning."""
    root = tmp_path_factory.mktemp("world")
    Engine(root / "engine").build()
    write(root / "plugin", PLUGIN)
    settings = config.load(root / "plugin")
    with (
        open_upstream(settings, None, root / "cache") as upstream,
        opened(settings, upstream, backend_of(settings), root / "cache") as trees,
    ):
        span = between(upstream.repository, "v0.1.0", "v0.2.0")
        yield SearchedRange(trees, span, lambda: analyse(trees, span, AnalysisCache(root / "cache")).impacts)


@pytest.mark.parametrize("name", OF_ENGINE)
def test_the_guilty_commit_is_first(case: SearchedRange, name: str) -> None:
    truth = CASES[name]
    found = [diagnosed(case, failure) for failure in causes(read([str(CORPUS / name)]))]
    first = found[0]
    assert first.failure.symptom is not None
    assert first.failure.symptom.kind == truth["kind"]
    assert first.origin == truth["origin"]
    assert [g.commit.pr for g in first.guilty][:1] == ([truth["pr"]] if truth["pr"] is not None else [])
    # What follows from the cause is no cause of its own.
    assert {d.failure.symptom.kind if d.failure.symptom else "" for d in found} <= {
        truth["kind"], *(["disk-full"] if name == "workflow.zip" else []),
    }  # fmt: skip


@pytest.mark.parametrize("name", [n for n in OF_ENGINE if CASES[n]["origin"] == "upstream"])
def test_our_line_is_in_the_module_that_was_run(case: SearchedRange, name: str) -> None:
    first = diagnosed(case, causes(read([str(CORPUS / name)]))[0])
    scenario = name.partition("-")[0].partition(".")[0]
    if first.place is not None and scenario in TRUTH:
        modules = {"pooled": "result_longer"}
        assert first.place.file == f"src/plugin/{modules.get(scenario, scenario)}.py"


@pytest.mark.parametrize("name", sorted(CASES.keys() - set(OF_ENGINE)))
def test_logs_of_the_simulated_device_have_one_cause(name: str) -> None:
    """Lanes of the backend on a real engine, with faults put in: one failure, told once, that all follows from."""
    found = read([str(CORPUS / name)])
    (failure,) = causes(found)
    assert (failure.symptom.kind if failure.symptom else None) == CASES[name]["kind"]
    assert all(f.follows == failure.text for f in found.failures if f is not failure)
    assert not found.unexplained
    if "lane" not in name:
        assert len(failure.error.frames) >= 25
    files = [str(p.relative_to(BACKEND)) for p in BACKEND.rglob("*.py")]
    backend = KnownFiles([*files, MOVED], ("ascend_backend",))
    ours = [path for frame in failure.error.frames if (path := backend.find(frame.path)) is not None]
    # The engine itself called the method of the old lane, and missed the weights.
    assert ours or name in ("device-old-lane.log", "device-weights.log")
    assert all(path.startswith("src/ascend_backend/") for path in ours)


def test_what_git_tells_of_a_line_and_of_a_text(case: SearchedRange) -> None:
    numbers = {commit.sha: commit.pr for commit in case.commits.values()}
    assert [numbers[sha] for sha in case.history.changing("get_view", ["engine"])] == [120]
    assert case.history.changing("get_view", ["engine/text.py"]) == []
    assert case.history.changing("never written", ["engine"]) == []
    lines = case.history.wrote("engine/buffer.py", [6, 7])
    assert {line: numbers[sha] for line, sha in lines.items()} == {7: 120}
    assert case.history.wrote("engine/buffer.py", [700]) == {}
    assert case.history.wrote("engine/missing.py", [1]) == {}


def test_the_corpus_is_large_and_of_many_kinds() -> None:
    assert len(CASES) >= 60
    assert len({case["kind"] for case in CASES.values()}) >= 18
    assert sum(file.stat().st_size for file in CORPUS.iterdir()) < 1_500_000


def test_no_path_of_the_machine_that_made_it_is_left() -> None:
    for file in CORPUS.glob("*.log"):
        text = file.read_bytes()
        assert not any(word in text for word in (b"/root/", b"/home/", b"/tmp/", b" /work/", b'"/work/')), (
            file.name
        )
