"""Compares the simulation with the real wheels: the names, and the contents of their library."""

from __future__ import annotations

import ast
import zipfile
from pathlib import Path

import pytest
from torch_npu_sim.surface.wheel_names import LIBRARY, WheelNames

from . import releases
from .releases import WHEELS

DEVICE = Path(__file__).parents[2] / "simulator/src/torch_npu_sim/device"
#: torch asks modules of devices for it; torch_npu has it in C++ alone.
OF_TORCH = {"maybe_exchange_device"}


def constant(module: str, name: str) -> tuple[object, ...]:
    """The list or tuple of literals that a module of the device binds to a name; empty where it has none."""
    for node in ast.parse((DEVICE / module).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return tuple(ast.literal_eval(node.value))
    return ()


def of_device() -> set[str]:
    """The names of torch.npu that the device gives."""
    modules = [path.name for path in DEVICE.glob("*.py") if path.name != "__init__.py"]
    return {str(name) for module in modules for name in constant(module, "__all__")}


@pytest.mark.machine
@pytest.mark.parametrize("version", WHEELS)
def test_what_the_device_gives_is_in_the_wheels(version: str) -> None:
    with zipfile.ZipFile(releases.wheel(version)) as archive:
        names = set(WheelNames(archive.namelist(), archive.read).names("torch_npu.npu"))
    later = {"get_per_process_memory_fraction"} if version == "2.9.0" else set()
    assert of_device() - names == OF_TORCH | later


@pytest.mark.machine
@pytest.mark.parametrize(("version", "has"), [("2.12.0", False), ("2.13.0", True)])
def test_the_first_wheel_whose_allocator_torch_knows(version: str, has: bool) -> None:
    """Without it torch.accelerator has no functions on memory: its type is named in the library that derives from it."""
    first = constant("register.py", "FIRST_WITH_DEVICE_ALLOCATOR")
    assert (tuple(int(part) for part in version.split(".")[:2]) >= first) == has
    with zipfile.ZipFile(releases.wheel(version)) as archive:
        assert (b"N3c1015DeviceAllocatorE" in archive.read(LIBRARY)) == has
