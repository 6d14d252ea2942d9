"""The wheel refuses to stand beside another vLLM, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "backend" / "src"


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


@pytest.mark.parametrize("version", ["0.32.0", "0.32.0+empty", "0.32.0+cpu.1"])
def test_beside_its_own_vllm_it_is_imported(tmp_path: Path, version: str) -> None:
    process = import_beside(tmp_path, version)
    assert (process.returncode, process.stdout) == (0, "0.32.0\n"), process.stderr


def test_beside_another_vllm_one_line_names_both_and_the_mend(tmp_path: Path) -> None:
    process = import_beside(tmp_path, "0.28.0+empty")
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1] == (
        "ImportError: ascend-backend 0.32.0 is made for vLLM 0.32.0, but vLLM 0.28.0+empty is installed; "
        "run: pip install 'ascend-backend==0.28.0.*' "
        "(or keep this wheel and run: pip install 'vllm==0.32.0')"
    )


@pytest.mark.parametrize("version", ["0.32.1", "0.32.0.post1", "0.32.0rc1", "1.32.0"])
def test_versions_that_merely_look_alike_are_refused(tmp_path: Path, version: str) -> None:
    process = import_beside(tmp_path, version)
    assert process.returncode == 1
    assert f"but vLLM {version} is installed" in process.stderr.splitlines()[-1]


def test_without_vllm_one_line_says_what_to_install(tmp_path: Path) -> None:
    process = import_beside(tmp_path, None)
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1] == (
        "ImportError: ascend-backend 0.32.0 is made for vLLM 0.32.0, but no vLLM is installed; "
        "run: pip install 'vllm==0.32.0'"
    )
