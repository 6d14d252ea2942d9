"""A second process makes the tables that the search for guilty commits will ask for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from syncbot.api.extract import extract
from syncbot.api.module_declarations import extract_declared
from syncbot.api.usage import extract_usage
from syncbot.impact.accelerator import Range
from syncbot.impact.caching import table_worker as module
from syncbot.impact.caching.caches_and_workers import CachesAndWorkers
from syncbot.impact.caching.table_caches import declared_cache, table_caches
from syncbot.impact.caching.table_worker import Source, TableWorker, Wanted, serve
from syncbot.impact.caching.workplace import Workplace
from syncbot.upstream.commit_range import between

from .conftest import Engine, TreesOf

KINDS = ("modules", "usages", "declared")


def nothing(blob: str) -> bytes:
    raise AssertionError(f"{blob} is not in the cache")


def missing(folder: Path, kind: str, blobs: Sequence[str]) -> list[str]:
    caches = dict(zip(KINDS, (*table_caches(folder), declared_cache(folder)), strict=True))
    try:
        return caches[kind].missing(blobs)
    finally:
        for cache in caches.values():
            cache.close()


def wait_until_made(folder: Path, kind: str, blobs: Sequence[str]) -> None:
    deadline = time.monotonic() + 60
    while missing(folder, kind, blobs) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not missing(folder, kind, blobs)


@pytest.fixture
def place(trees_of: TreesOf, blobs: list[str], tmp_path: Path) -> Workplace:
    trees = trees_of("")
    made = (trees.repository, trees.packages, trees.backend, trees.knowledge)
    return Workplace(*made, *table_caches(tmp_path / "tables"), tmp_path, trees.own_names)


@pytest.fixture
def blobs(engine: Engine) -> list[str]:
    engine.commit(
        {f"engine/m{i}.py": f"import os\nX = os.getenv('E{i}')\ndef f{i}(): g({i})\n" for i in range(9)}
    )
    engine.commit({"engine/m0.py": "def f0(a): g(0)\n"})
    lines = engine.git("ls-tree", "-r", "HEAD").splitlines()
    return [line.split()[2] for line in lines if "/m" in line]


def test_the_tables_are_those_of_the_blobs(engine: Engine, blobs: list[str], tmp_path: Path) -> None:
    source = Source(str(engine.path / ".git"), "foreign", str(tmp_path))
    wanted = (Wanted(("modules", "usages"), blobs[:5]), Wanted(("modules", "declared"), blobs[3:]))
    serve(BytesIO(b"".join(msgspec.json.encode(line) + b"\n" for line in (source, *wanted))))
    tables, usages = table_caches(tmp_path)
    declared = declared_cache(tmp_path)
    for place, blob in enumerate(blobs):
        text = engine.git("cat-file", "blob", blob).encode() + b"\n"
        assert tables.get(blob, nothing) == extract(text)
        if place < 5:
            assert usages.get(blob, nothing) == extract_usage(text)
        if place >= 3:
            assert declared.get(blob, nothing) == extract_declared(text)
    assert usages.missing(blobs) == blobs[5:]
    assert declared.missing(blobs) == blobs[:3]


def test_another_process_makes_what_is_expected(
    engine: Engine, blobs: list[str], place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WORTH", 3)
    folder = place.tables_folder
    (newest, *_) = between(place.repository, *engine.shas).commits
    worker = TableWorker(place)
    worker.tables(blobs[1:])
    wait_until_made(folder, "modules", blobs[1:])
    wait_until_made(folder, "usages", blobs[1:])
    worker.facts(newest)
    wait_until_made(folder, "declared", [blobs[0]])
    worker.close()
    assert missing(folder, "usages", blobs) == [blobs[0]]


@pytest.mark.parametrize("command", [("false",), ("/nothing/like/this",)])
def test_what_fails_there_is_left_to_this_process(
    blobs: list[str], place: Workplace, monkeypatch: pytest.MonkeyPatch, command: tuple[str]
) -> None:
    monkeypatch.setattr(module, "_WORTH", 1)
    monkeypatch.setattr(module, "COMMAND", command)
    worker = TableWorker(place)
    for blob in blobs:
        worker.tables([blob])
    worker.close()
    assert missing(place.tables_folder, "modules", blobs) == blobs


def test_few_tables_start_nothing(
    blobs: list[str], place: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COMMAND", ("touch", str(tmp_path / "started")))
    worker = TableWorker(place)
    worker.tables(blobs)
    worker.close()
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("partial", [True, False])
def test_a_partial_clone_is_left_alone(
    engine: Engine, blobs: list[str], trees_of: TreesOf, place: Workplace, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path, partial: bool,
) -> None:  # fmt: skip
    """Each blob that it lacks would be fetched by itself."""
    monkeypatch.setattr(module, "_WORTH", 1)
    monkeypatch.setattr(module, "COMMAND", ("touch", str(tmp_path / "started")))
    monkeypatch.setattr("syncbot.impact.caching.caches_and_workers.processors", lambda: 2)
    span = between(place.repository, *engine.shas)
    accelerator = CachesAndWorkers(place)
    accelerator.begin_range(Range(span.old, span.new, span.commits[::-1], trees_of("").tree))
    accelerator.close()
    if partial:
        engine.git("config", "remote.origin.promisor", "true")
    accelerator.begin_range(Range(span.old, span.new, (), trees_of("").tree))
    accelerator.expect_tables(blobs)
    deadline = time.monotonic() + (0.5 if partial else 60)
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    accelerator.close()
    assert (tmp_path / "started").exists() is not partial
