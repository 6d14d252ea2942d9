"""A second process makes tables and finds contracts: the same ones, and only where it is worth it."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

import syncbot
from syncbot.api.extract import extract
from syncbot.api.usage import extract_usage
from syncbot.contracts.discovery import Found
from syncbot.contracts.model import Contract
from syncbot.contracts.source_files import read_backend
from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure
from syncbot.impact.accelerator import Range
from syncbot.impact.caching import parallel_discovery, prefetch_worker, table_worker
from syncbot.impact.caching.caches_and_workers import CachesAndWorkers
from syncbot.impact.caching.prefetch_worker import COMMAND, Request, fill, work
from syncbot.impact.caching.table_caches import declared_cache, table_caches
from syncbot.impact.caching.workplace import Workplace
from syncbot.impact.contract_findings import attributed_findings
from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import Span, between
from syncbot.upstream.git_repository import GitRepository

from .conftest import Engine, TreesOf

pytestmark = pytest.mark.long

MANY = 60


@pytest.fixture
def span(engine: Engine) -> Span:
    engine.commit({f"engine/m{i}.py": f"def f{i}(a): ...\n" for i in range(MANY)})
    engine.commit({f"engine/m{i}.py": f"def f{i}(a, b): return g{i}(a)\n" for i in range(MANY)})
    with GitRepository(engine.path / ".git") as repository:
        return between(repository, *engine.shas)


def nothing(blob: str) -> bytes:
    raise AssertionError(f"{blob} is not in the cache")


@pytest.fixture
def plugin(tmp_path: Path) -> Backend:
    folder = tmp_path / "plugin"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for i in range(MANY):
        text = f"from engine.m{i} import f{i}\ndef own():\n    return f{i}({i})\n"
        (folder / f"m{i}.py").write_text(text, encoding="utf-8")
    # Nested too deeply for whoever looks at it.
    (folder / "deep.py").write_text("x = " + "-" * 900 + "1\n", encoding="utf-8")
    return read_backend(tmp_path, ("plugin",), ())


def workplace(trees: Trees, cache: Path) -> Workplace:
    made = (trees.repository, trees.packages, trees.backend, trees.knowledge)
    return Workplace(*made, *table_caches(cache / "tables"), cache, trees.own_names)


def request_of(trees: Trees, span: Span, cache: Path) -> Request:
    return work(workplace(trees, cache), Range(span.old, span.new, span.commits[::-1], trees.tree))


@contextmanager
def accelerated(trees: Trees, span: Span, cache: Path) -> Iterator[Trees]:
    """The same trees with another process beside, which has begun with a range."""
    accelerator = CachesAndWorkers(workplace(trees, cache))
    made = replace(trees, accelerator=accelerator)
    accelerator.begin_range(Range(span.old, span.new, span.commits[::-1], made.tree))
    yield made
    accelerator.close()


def test_tables_of_what_a_span_changes(span: Span, trees_of: TreesOf, tmp_path: Path) -> None:
    trees = trees_of("")
    cache = tmp_path / "tables"
    request = request_of(trees, span, tmp_path)
    fill(request, BytesIO(), BytesIO())
    tables, usages = table_caches(cache)
    declared = declared_cache(cache)
    for side in (span.old, span.new):
        for module, (_, blob) in trees.tree(side).modules.items():
            if module != "engine":
                source = trees.repository.blob(blob)
                assert tables.get(blob, nothing) == extract(source)
                assert usages.get(blob, nothing) == extract_usage(source)
    assert request.blobs["declared"]
    assert not declared.missing(request.blobs["declared"])
    assert not any(request_of(trees, span, tmp_path).blobs.values())


def following(backend: Backend, trees_of: TreesOf) -> Trees:
    plain = trees_of("")
    return Trees(plain.repository, plain.packages, backend, plain.tables, plain.usages)


def found_alone(trees: Trees, span: Span) -> list[Contract]:
    return trees.contracts(trees.comparison(span.old, span.new).old)


def test_contracts_found_by_two_are_those_found_by_one(
    span: Span, trees_of: TreesOf, plugin: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_discovery, "_WORTH", 1)
    monkeypatch.setattr(parallel_discovery, "_AT_ONCE", 500)
    alone, together = following(plugin, trees_of), following(plugin, trees_of)
    expected = found_alone(alone, span)
    assert len(expected) >= 2 * MANY
    other: list[str] = []
    told = parallel_discovery.ParallelDiscovery.found

    def waiting(self: parallel_discovery.ParallelDiscovery, path: str) -> Found | None:
        """The first file is looked for only when the other process has told of some."""
        deadline = time.monotonic() + 60
        while not other and time.monotonic() < deadline and told(self, "plugin/m9.py") is None:
            time.sleep(0.01)
        found = told(self, path)
        other.extend([path] if found is not None else [])
        return found

    monkeypatch.setattr(parallel_discovery.ParallelDiscovery, "found", waiting)
    with accelerated(together, span, tmp_path) as helped:
        assert found_alone(helped, span) == expected
    assert "plugin/m9.py" in other
    assert alone.unwalked == helped.unwalked


def test_findings_do_not_depend_on_the_accelerator(
    span: Span, trees_of: TreesOf, plugin: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_discovery, "_WORTH", 1)
    monkeypatch.setattr(prefetch_worker, "_WORTH", 1)
    monkeypatch.setattr(table_worker, "_WORTH", 1)
    alone = following(plugin, trees_of)
    expected = attributed_findings(alone, span.old, span.new, span.commits[::-1])
    assert len(expected) == MANY
    for _ in range(2):
        accelerator = CachesAndWorkers(workplace(alone, tmp_path))
        helped = replace(alone, accelerator=accelerator)
        assert attributed_findings(helped, span.old, span.new, span.commits[::-1]) == expected
        # What another process found with the old end is not taken for what holds with the new one.
        assert found_alone(helped, Span(span.new, span.new, ())) == found_alone(
            alone, Span(span.new, span.new, ())
        )
        accelerator.close()


def test_a_backend_that_changed_meanwhile_is_left_to_this_process(
    span: Span, trees_of: TreesOf, plugin: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_discovery, "_WORTH", 1)
    alone, together = following(plugin, trees_of), following(plugin, trees_of)
    for file in plugin.files:
        (plugin.root / file.path).write_text("from engine.m1 import f1\n", encoding="utf-8")
    with accelerated(together, span, tmp_path) as helped:
        assert found_alone(helped, span) == found_alone(alone, span)


def test_a_small_backend_starts_nothing(
    engine: Engine, trees_of: TreesOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.commit({"engine/a.py": "x = 1\n"})
    engine.commit({"engine/a.py": "x = 2\n"})
    trees = trees_of("from engine.a import x\n")
    small = between(trees.repository, *engine.shas)
    monkeypatch.setattr("syncbot.impact.caching.prefetch_worker.COMMAND", ("/nothing/like/this",))
    with accelerated(trees, small, tmp_path) as helped:
        assert found_alone(helped, small)


def test_what_fails_there_is_left_to_this_process(
    span: Span, trees_of: TreesOf, plugin: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel_discovery, "_WORTH", 1)
    monkeypatch.setattr("syncbot.impact.caching.prefetch_worker.COMMAND", ("false",))
    alone, together = following(plugin, trees_of), following(plugin, trees_of)
    with accelerated(together, span, tmp_path) as helped:
        assert found_alone(helped, span) == found_alone(alone, span)
    request = request_of(together, span, tmp_path)
    request.repository = str(tmp_path / "file")
    with pytest.raises(EnvironmentFailure, match="not a git directory"):
        fill(request, BytesIO(), BytesIO())


def test_modules_of_the_folder_it_is_run_in_are_not_imported(tmp_path: Path) -> None:
    (tmp_path / "msgspec.py").write_text("open('imported', 'w')", encoding="utf-8")
    marker = tmp_path / "imported"
    environment = os.environ | {"PYTHONPATH": str(Path(syncbot.__file__).parents[1])}

    def run(command: Sequence[str]) -> None:
        done = subprocess.run(
            command, cwd=tmp_path, input=b"", env=environment, capture_output=True, check=False
        )
        assert done.returncode == 1

    run(COMMAND)
    assert not marker.exists()
    run([word for word in COMMAND if word != "-P"])
    assert marker.exists()


def test_every_python_that_is_started_leaves_the_folder_out() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(syncbot.__file__).parent.rglob("*.py")]
    started = [found for text in sources for found in re.findall(r'sys\.executable,\s*"(-\w)"', text)]
    assert len(started) >= 4
    assert set(started) <= {"-P", "-I"}  # the second one leaves out more
