"""The wheel refuses to stand beside another vLLM, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

BACKEND = Path(__file__).parents[2] / "backend"
SOURCES = BACKEND / "src"
#: The vLLM that the sources are written for.
OWN = tomllib.loads((BACKEND / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def import_beside(folder: Path, vllm: str | None) -> subprocess.CompletedProcess[str]:
    """Import the package in a process that sees nothing but it and the given vLLM's metadata."""
    if vllm is not None:
        information = folder / f"vllm-{vllm}.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {vllm}\n")
    path = os.pathsep.join([str(SOURCES), str(folder)])
    return subprocess.run(
        [sys.executable, "-S", "-c", "import ascend_backend; print(ascend_backend.__version__)"],
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("version", [OWN, f"{OWN}+empty", f"{OWN}+cpu.1"])
def test_beside_its_own_vllm_it_is_imported(tmp_path: Path, version: str) -> None:
    process = import_beside(tmp_path, version)
    assert (process.returncode, process.stdout) == (0, f"{OWN}\n"), process.stderr


def test_beside_another_vllm_one_line_names_both_and_the_mend(tmp_path: Path) -> None:
    process = import_beside(tmp_path, "0.28.0+empty")
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1] == (
        f"ImportError: ascend-backend {OWN} is made for vLLM {OWN}, but vLLM 0.28.0+empty is installed; "
        "run: pip install 'ascend-backend==0.28.0.*' "
        f"(or keep this wheel and run: pip install 'vllm=={OWN}')"
    )


@pytest.mark.parametrize("version", [f"{OWN[:-1]}9", f"{OWN}.post1", f"{OWN}rc1", f"1{OWN[1:]}"])
def test_versions_that_merely_look_alike_are_refused(tmp_path: Path, version: str) -> None:
    process = import_beside(tmp_path, version)
    assert process.returncode == 1
    assert f"but vLLM {version} is installed" in process.stderr.splitlines()[-1]


def test_without_vllm_one_line_says_what_to_install(tmp_path: Path) -> None:
    process = import_beside(tmp_path, None)
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1] == (
        f"ImportError: ascend-backend {OWN} is made for vLLM {OWN}, but no vLLM is installed; "
        f"run: pip install 'vllm=={OWN}'"
    )
