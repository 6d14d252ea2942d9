"""The simulator's wheel is pure, or ships compiled devices and says for what they are."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

SIMULATOR = Path(__file__).parents[2] / "simulator"


def built(target: Path, compiled: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Build the wheel into a folder."""
    environment = os.environ | ({"TORCH_NPU_SIM_COMPILED": str(compiled)} if compiled else {})
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=SIMULATOR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_has_the_sources_of_the_device_and_nothing_compiled(tmp_path: Path) -> None:
    done = built(tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert done.returncode == 0
    assert wheel.name.endswith("-py3-none-any.whl")
    assert "torch_npu_sim/device/csrc/kernels.cpp" in names
    assert not [name for name in names if name.endswith(".so")]


def test_a_wheel_with_compiled_devices_is_one_of_its_platform(tmp_path: Path) -> None:
    compiled = tmp_path / "compiled"
    compiled.mkdir()
    assert "has no compiled device" in built(tmp_path, compiled).stderr
    (compiled / "device-torch2.13.0.so").touch()
    assert built(tmp_path, compiled).returncode == 0
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-linux_x86_64.whl")
    assert "torch_npu_sim/device/compiled/device-torch2.13.0.so" in zipfile.ZipFile(wheel).namelist()
