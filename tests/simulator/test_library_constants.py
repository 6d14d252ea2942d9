"""The constants of torch_npu's library are read into a folder once, by a command, and taken from there."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

SIMULATOR = Path(__file__).parents[2] / "simulator" / "src"


def constants(folder: Path, wheel: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "torch_npu_sim.surface", str(folder)],
        env=os.environ | {"TORCH_NPU_SIM_WHEEL": str(wheel), "PYTHONPATH": str(SIMULATOR)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_library_is_read_once_a_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / "torch_npu-2.9.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("torch_npu-2.9.0.dist-info/METADATA", "Name: torch_npu\n")
        archive.writestr("torch_npu/lib/libtorch_npu.so", b"\x01_npu_init\x00 _npu_exit\x00no constant")
    kept = tmp_path / "kept"
    assert constants(kept, wheel).stdout == "2 constants\n"
    [file] = kept.iterdir()
    assert file.read_text().split() == ["_npu_exit", "_npu_init"]
    file.write_text("_npu_init")
    assert constants(kept, wheel).stdout == "1 constants\n"
    os.utime(wheel, ns=(1, 1))
    assert constants(kept, wheel).stdout == "2 constants\n"


def test_a_wheel_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = constants(tmp_path / "kept", tmp_path / "torch_npu-2.9.0-py3-none-any.whl")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
