"""Tables in SQLite: what comes back, what is never believed, several processes at once."""

from __future__ import annotations

import importlib
import multiprocessing
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncbot.api import extract as extract_module
from syncbot.api import model
from syncbot.api.cache import TableCache, package_digest, source_digest
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.usage import extract_usage
from syncbot.errors import EnvironmentFailure
from syncbot.impact.caching.analysis_cache import analysis_code_digest
from syncbot.typecheck.checked_range import typecheck_code_digest

SOURCE = b"""
import a.b as c
from . import d
__all__ = ["E"]

@decorator
class E(c.Base, metaclass=M):
    x: int = 1
    async def f(self, p, /, q=2, *r, s, **t) -> None:
        self.y = c.g(1, *r, k=p)
        yield self.y
"""


def cache(folder: Path, version: str = "1") -> TableCache[ModuleTable]:
    return TableCache(folder, "modules", version, extract, ModuleTable)


def never(blob: str) -> bytes:
    raise AssertionError(f"{blob} was read")


def source(blob: str) -> bytes:
    return SOURCE


def test_what_was_written_comes_back_equal(tmp_path: Path) -> None:
    first = cache(tmp_path)
    table = first.get("one", source)
    first.close()
    again = cache(tmp_path)
    assert again.get("one", never) == table == extract(SOURCE)
    again.close()
    usages = TableCache(tmp_path, "usages", "1", extract_usage, UsageTable)
    written = usages.get("one", source)
    usages.close()
    usages = TableCache(tmp_path, "usages", "1", extract_usage, UsageTable)
    assert usages.get("one", never) == written == extract_usage(SOURCE)
    usages.close()


def test_in_one_process_a_blob_is_computed_once(tmp_path: Path) -> None:
    memory = cache(tmp_path)
    table = memory.get("one", source)
    assert memory.get("one", never) is table
    memory.close()


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    memory: TableCache[ModuleTable] = TableCache(None, "modules", "1", extract, ModuleTable)
    assert memory.get("one", source) == extract(SOURCE)
    memory.close()
    assert list(tmp_path.iterdir()) == []


def test_problems_are_kept_too(tmp_path: Path) -> None:
    first = cache(tmp_path)
    table = first.get("bad", lambda blob: b"def (:\n")
    first.close()
    again = cache(tmp_path)
    assert again.get("bad", never) == table
    assert table.problem is not None
    again.close()


def test_other_code_never_reads_what_older_code_wrote(tmp_path: Path) -> None:
    old = cache(tmp_path)
    old.get("one", lambda blob: b"x = 1\n")
    old.close()
    new = cache(tmp_path, "2")
    assert new.get("one", source) == extract(SOURCE)
    new.close()


def test_a_digest_is_of_the_sources(tmp_path: Path) -> None:
    assert source_digest(model) == source_digest(model)
    assert (
        len({source_digest(model), source_digest(extract_module), source_digest(model, extract_module)}) == 3
    )
    assert source_digest(model).isalnum()


def test_a_digest_follows_what_its_modules_take_from_their_package(tmp_path: Path) -> None:
    package = tmp_path / "digested"
    package.mkdir()
    files = {
        "__init__": "",
        "table": "from digested.words import spell\nimport os\n",
        "words": "def spell(): ...\n",
    }
    for name, text in {**files, "other": "def spell(): ...\n"}.items():
        (package / f"{name}.py").write_text(text)
    sys.path.insert(0, str(tmp_path))
    try:
        table = importlib.import_module("digested.table")
        importlib.import_module("digested.other")
        before = source_digest(table)
        (package / "other.py").write_text("def spell(): pass\n")
        assert source_digest(table) == before
        (package / "words.py").write_text("def spell(): pass\n")
        assert source_digest(table) != before
    finally:
        sys.path.remove(str(tmp_path))
        for name in [name for name in sys.modules if name.partition(".")[0] == "digested"]:
            del sys.modules[name]


def test_many_blobs_are_written_along_the_way(tmp_path: Path) -> None:
    """A run that is killed does not lose everything it computed."""
    first = cache(tmp_path)
    for number in range(1200):
        first.get(f"{number:040x}", lambda blob: f"x = {int(blob, 16)}\n".encode())
    other = cache(tmp_path)
    assert other.get(f"{7:040x}", never) == extract(b"x = 7\n")
    first.close()
    assert cache(tmp_path).get(f"{1199:040x}", never) == extract(b"x = 1199\n")
    other.close()


@pytest.mark.parametrize("value", [b"", b"\xc1", b"\x90", b"text", 7, None])
def test_a_damaged_row_is_computed_anew(tmp_path: Path, value: object) -> None:
    first = cache(tmp_path)
    first.get("one", source)
    first.close()
    with sqlite3.connect(tmp_path / "modules.sqlite") as database:
        database.execute("UPDATE modules_1 SET value = ?", (value,))
    database.close()
    again = cache(tmp_path)
    assert again.get("one", source) == extract(SOURCE)
    again.close()
    later = cache(tmp_path)
    assert later.get("one", never) == extract(SOURCE)
    later.close()


def _overwritten(path: Path) -> None:
    path.write_bytes(b"this is no database " * 500)


def _first_page_lost(path: Path) -> None:
    path.write_bytes(b"\0" * 4096 + path.read_bytes()[4096:])


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _middle_lost(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


@pytest.mark.parametrize("damage", [_overwritten, _first_page_lost, _cut, _middle_lost])
def test_a_damaged_database_is_made_anew_in_one_line(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "tables"
    first = cache(folder)
    for number in range(600):
        first.get(f"{number:040x}", source)
    first.close()
    damage(folder / "modules.sqlite")
    again = cache(folder)
    for number in range(600):
        assert again.get(f"{number:040x}", source) == extract(SOURCE)
    again.get("new", source)
    again.close()
    later = cache(folder)
    assert {later.get(f"{number:040x}", never) for number in range(600)} == {extract(SOURCE)}
    later.close()
    told = f"a value in the cache {tmp_path} is damaged or was not made there: it is made again"
    assert [record.getMessage() for record in caplog.records] == [told]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(EnvironmentFailure, match=r"cannot use the cache .*SYNCBOT_CACHE"):
        cache(tmp_path / "file")


def _fill(folder: str, start: int, barrier: object) -> None:
    barrier.wait()  # type: ignore[attr-defined]
    shared = cache(Path(folder))
    for number in range(start, start + 700):
        shared.get(f"{number:040x}", lambda blob: f"x = {int(blob, 16)}\n".encode())
    shared.close()


def test_two_processes_share_the_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)
    both = [context.Process(target=_fill, args=(str(tmp_path), start, barrier)) for start in (0, 350)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    shared = cache(tmp_path)
    for number in range(1050):
        assert shared.get(f"{number:040x}", never) == extract(f"x = {number}\n".encode())
    shared.close()


def _open_and_close(folder: str, barrier: object) -> None:
    barrier.wait()  # type: ignore[attr-defined]
    cache(Path(folder)).close()


@pytest.mark.long
def test_many_processes_make_the_file_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    for attempt in range(20):
        barrier = context.Barrier(6)
        folder = str(tmp_path / str(attempt))
        together = [context.Process(target=_open_and_close, args=(folder, barrier)) for _ in range(6)]
        for process in together:
            process.start()
        for process in together:
            process.join()
        assert [process.exitcode for process in together] == [0] * 6


@settings(max_examples=30)
@given(st.text(max_size=200))
def test_any_table_survives_the_way_to_disk_and_back(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    data = f"def f(a={text!r}): return a\nx = {text!r}\n".encode("utf-8", "surrogatepass")
    folder = tmp_path_factory.getbasetemp() / "any"
    first = cache(folder)
    blob = data.hex()
    written = first.get(blob, lambda _: data)
    first.close()
    again = cache(folder)
    assert again.get(blob, never) == written
    again.close()


def test_a_digest_of_the_package_needs_files_to_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syncbot.__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "a.py").write_text("x = 1\n", encoding="utf-8")
    before = package_digest("api/**/*.py")
    (tmp_path / "api" / "notes.txt").write_text("x\n", encoding="utf-8")
    assert package_digest("api/**/*.py") == before
    (tmp_path / "api" / "a.py").write_text("x = 2\n", encoding="utf-8")
    assert package_digest("api/**/*.py") != before
    with pytest.raises(ValueError, match=r"no file of syncbot matches impact/\*\.py"):
        package_digest("api/**/*.py", "impact/*.py")


def test_what_a_kept_analysis_depends_on_is_there() -> None:
    assert analysis_code_digest().isalnum()
    assert typecheck_code_digest().isalnum()
