"""A second process makes tables: the same ones, in the same caches, and only where it is worth it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import syncbot
from syncbot.api.extract import extract
from syncbot.api.usage import extract_usage
from syncbot.contracts.sources import read_backend
from syncbot.impact.ahead import COMMAND, ahead, fill, table_caches, work
from syncbot.impact.facts.span import declared_cache
from syncbot.upstream.git import GitRepository
from syncbot.upstream.span import Span, between

from .conftest import Engine, TreesOf

MANY = 60


@pytest.fixture
def span(engine: Engine) -> Span:
    engine.commit({f"engine/m{i}.py": f"def f{i}(a): ...\n" for i in range(MANY)})
    engine.commit({f"engine/m{i}.py": f"def f{i}(a, b): return g{i}(a)\n" for i in range(MANY)})
    with GitRepository(engine.path / ".git") as repository:
        return between(repository, *engine.shas)


def nothing(blob: str) -> bytes:
    raise AssertionError(f"{blob} is not in the cache")


def test_tables_of_what_a_span_changes_and_of_the_backend(
    span: Span, trees_of: TreesOf, tmp_path: Path
) -> None:
    trees = trees_of("")
    (tmp_path / "plugin").mkdir()
    for name in ("__init__", "main"):
        (tmp_path / "plugin" / f"{name}.py").write_text(f"name = '{name}'\n", encoding="utf-8")
    trees.backend = read_backend(tmp_path, ("plugin",), ())
    cache = tmp_path / "tables"
    request = work(trees, span, cache)
    assert request is not None
    fill(request)
    tables, usages = table_caches(cache)
    declared = declared_cache(cache)
    for side in (span.old, span.new):
        for module, (_, blob) in trees.tree(side).modules.items():
            if module != "engine":
                source = trees.repository.blob(blob)
                assert tables.get(blob, nothing) == extract(source)
                assert usages.get(blob, nothing) == extract_usage(source)
    for file in trees.backend.files:
        assert tables.get(file.blob, nothing) == extract(file.text)
    assert not declared.missing(request.blobs["declared"])
    assert work(trees, span, cache) is None


def test_a_small_span_starts_nothing(engine: Engine, trees_of: TreesOf, tmp_path: Path) -> None:
    engine.commit({"engine/a.py": "x = 1\n"})
    engine.commit({"engine/a.py": "x = 2\n"})
    trees = trees_of("")
    assert work(trees, between(trees.repository, *engine.shas), tmp_path) is None


def test_what_fails_there_is_left_to_this_process(span: Span, trees_of: TreesOf, tmp_path: Path) -> None:
    trees = trees_of("")
    with ahead(trees, span, tmp_path / "tables"):
        table = trees.tree(span.new).table("engine.m1")
    assert table is not None
    assert [f.name for f in table.functions] == ["f1"]
    (tmp_path / "file").touch()
    request = work(trees, span, tmp_path / "tables")
    if request is not None:
        request.repository = str(tmp_path / "file")
        with pytest.raises(Exception, match="not a git directory"):
            fill(request)


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
    assert set(started) == {"-P"}
