"""Files beyond the limits are listed and never held in memory; all others are analysed."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from syncbot.api.bounded_source import bounded
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.usage import extract_usage
from syncbot.contracts.source_files import read_backend
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.caching.table_caches import table_caches
from syncbot.impact.trees import Trees
from syncbot.limits import Limits, reason
from syncbot.upstream.commit_range import between
from syncbot.upstream.git_repository import GitRepository

from .conftest import Engine

USE = "from engine.base import f\n\nf(1, b=2)\n"
SMALL = Limits(file_bytes=2_000, nodes=300, parameters=20)
LONG = "x = 1\n" * 400
MANY_NODES = "x = [" + "0," * 400 + "]\n"
MANY_PARAMETERS = f"def g({', '.join(f'p{n}' for n in range(21))}): ...\n"
CASES = {
    LONG: "2,400 bytes, more than limits.file_bytes allows (2,000)",
    MANY_NODES: "over 300 nodes of syntax, more than limits.nodes allows (300)",
    MANY_PARAMETERS: "line 1: g takes 21 parameters, more than limits.parameters allows (20)",
}
by_limit = pytest.mark.parametrize("text", CASES, ids=["bytes", "nodes", "parameters"])


def trees(engine: Engine, root: Path, limits: Limits) -> Trees:
    repository = GitRepository(engine.path / ".git", limits=limits)
    tables, usages = table_caches(root / "tables", limits=limits)
    backend = read_backend(root, ["src"], [], limits)
    return Trees(repository, ("engine",), backend, tables, usages)


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


@by_limit
def test_what_is_beyond_is_listed_and_all_else_analysed(engine: Engine, tmp_path: Path, text: str) -> None:
    engine.commit({"engine/base.py": "def f(a, b=0): ...\n", "engine/big.py": ""})
    engine.commit({"engine/base.py": "def f(a): ...\n", "engine/big.py": text})
    root = tmp_path / "backend"
    write(root, {"src/plugin/__init__.py": "", "src/plugin/big.py": text, "src/plugin/main.py": USE})
    for limits, expected in ((SMALL, CASES[text]), (Limits(), None)):
        ours = trees(engine, root, limits)
        done = analyse(ours, between(ours.repository, *engine.shas), AnalysisCache(root / "analyses"))
        assert [i.kind for i in done.impacts] == ["parameter-removed"]
        listed = [("src/plugin/big.py", expected), ("engine/big.py", expected)] if expected else []
        assert list(done.unanalysed) == listed
        ours.repository.close()


@by_limit
def test_what_is_just_within_is_analysed(text: str) -> None:
    limits = Limits(file_bytes=2_400, nodes=1_700, parameters=21)
    assert bounded(text.encode(), limits) == text.encode()
    assert extract(text.encode(), limits.parameters).problem is None


def test_nothing_of_what_stands_for_a_text_is_taken_for_python() -> None:
    instead = bounded(MANY_NODES.encode(), SMALL)
    assert reason(instead) == CASES[MANY_NODES]
    assert extract(instead) == ModuleTable(problem=CASES[MANY_NODES])
    assert extract_usage(instead).calls == ()
    assert reason(MANY_NODES.encode()) is None


@pytest.mark.long
def test_a_long_blob_and_a_long_file_are_never_in_memory(engine: Engine, tmp_path: Path) -> None:
    size = 200 << 20
    root = tmp_path / "backend"
    write(root, {"src/plugin/__init__.py": "", "src/plugin/big.py": ""})
    with (engine.path / "engine.py").open("wb") as file, (root / "src/plugin/big.py").open("wb") as own:
        file.truncate(size)
        own.truncate(size)
    engine.git("-c", "core.compression=1", "add", "engine.py")
    blob = engine.git("rev-parse", ":engine.py")
    engine.commit({"engine/base.py": USE})
    other = engine.git("rev-parse", "HEAD:engine/base.py")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with GitRepository(engine.path / ".git") as repository:
        read = dict(repository.blobs([blob, other, blob]))
    backend = read_backend(root, ["src"], [])
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 < size / 4
    assert read[other] == USE.encode()
    told = "209,715,200 bytes, more than limits.file_bytes allows (4,000,000)"
    assert reason(read[blob]) == told
    assert {file.path: reason(file.text) for file in backend.files} == {
        "src/plugin/__init__.py": None,
        "src/plugin/big.py": told,
    }


@pytest.mark.parametrize("count", [1, 15, 16, 17, 100, 1_200])
def test_blobs_come_in_order_however_many_are_held_at_once(
    engine: Engine, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syncbot.upstream.git_repository._WINDOW_BYTES", 200)
    engine.commit({f"engine/m{n}.py": f"n = {n}\n" for n in range(20)})
    with GitRepository(engine.path / ".git") as repository:
        entries = repository.tree(engine.shas[0])
        wanted = [entries[f"engine/m{n % 20}.py"].blob for n in range(count)]
        read = list(repository.blobs(wanted))
    assert read == [(oid, f"n = {n % 20}\n".encode()) for n, oid in enumerate(wanted)]


def test_tables_of_other_limits_are_others(tmp_path: Path) -> None:
    for limits, expected in (
        (SMALL, CASES[MANY_PARAMETERS]),
        (Limits(), None),
        (SMALL, CASES[MANY_PARAMETERS]),
    ):
        tables, usages = table_caches(tmp_path, limits=limits)
        assert tables.get("one", lambda blob: MANY_PARAMETERS.encode()).problem == expected
        tables.close()
        usages.close()
