"""The device is compiled once a machine, or shipped, or one line says what is missing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from torch_npu_sim.device import build


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A device of one short file, and an empty cache."""
    folder = tmp_path / "csrc"
    folder.mkdir()
    (folder / "short.cpp").write_text("int answer() { return 42; }\n")
    monkeypatch.setattr(build, "SOURCES", folder)
    monkeypatch.setenv("TORCH_NPU_SIM_CACHE", str(tmp_path / "cache"))
    return folder


def test_the_file_is_compiled_once_and_anew_for_other_sources(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[tuple[str, ...]] = []
    run = build._run
    monkeypatch.setattr(build, "_run", lambda command: (runs.append(command), run(command)))
    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(lambda _: build.extension(), range(3))
    assert others == [first, first]
    assert first.exists()
    assert len(runs) == 2, "one file compiled, one linked"
    assert torch.__version__ in first.name
    (sources / "short.cpp").write_text("int answer() { return 43; }\n")
    assert build.extension() != first


def test_what_the_wheel_ships_is_taken(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    (shipped / build.file_name()).touch()
    monkeypatch.setattr(build, "SHIPPED", shipped)
    assert build.extension().parent == shipped


def test_what_was_made_before_is_taken(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    build.compile_into(tmp_path / "made")
    monkeypatch.setenv("TORCH_NPU_SIM_COMPILED", str(tmp_path / "made"))
    assert build.extension().parent == tmp_path / "made"
    assert capfd.readouterr().err == ""
    # It is of other sources.
    (sources / "short.cpp").write_text("int answer() { return 43; }\n")
    assert build.extension().parent == tmp_path / "cache"


def test_the_first_use_says_that_it_compiles(sources: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = build.extension()
    said = f"compiles its device for torch {torch.__version__}, once, in one to three minutes, into {made}"
    assert capfd.readouterr().err == f"torch-npu-sim: {said}\n"
    build.extension()
    assert capfd.readouterr().err == ""


def test_a_missing_compiler_is_said_in_one_line(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(build.BuildError, match=r"found no C\+\+ compiler: install g\+\+ 11 or newer, .*$"):
        build.extension()


def test_an_error_of_the_compiler_is_shown_by_its_first_line(sources: Path) -> None:
    (sources / "short.cpp").write_text("int answer() { return nothing; }\n")
    with pytest.raises(
        build.BuildError, match=r"^[^\n]*does not compile against this torch: .*nothing[^\n]*$"
    ):
        build.extension()
    assert not list(build.read_settings().cache.glob("*.so"))


def test_a_cache_that_cannot_be_written_is_said_in_one_line(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TORCH_NPU_SIM_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(
        build.BuildError, match=r"^torch-npu-sim keeps its device in TORCH_NPU_SIM_CACHE: .*cache'$"
    ):
        build.extension()
