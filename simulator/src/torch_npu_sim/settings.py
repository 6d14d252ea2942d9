"""What the environment tells the simulator: one variable a line, read anew whenever it is asked for."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

#: Names a file to which every process adds the modules whose references it asked, and ``*`` for an operator without.
USED_VARIABLE = "TORCH_NPU_SIM_USED"

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class SettingsError(ValueError):
    """A variable of the simulator has a value that it does not know; the message names both."""


@dataclass(frozen=True)
class Settings:
    """The settings of this process."""

    #: TORCH_NPU_SIM_DEVICES: how many devices there are.
    devices: int
    #: TORCH_NPU_SIM_MEMORY: memory of each device ("4GiB", "512M" or bytes). It is the host's, so the default is small.
    memory: int
    #: TORCH_NPU_SIM_CACHE: where the compiled device is kept.
    cache: Path
    #: TORCH_NPU_SIM_WHEEL: the torch_npu wheel whose schemas, names and version are simulated.
    wheel: Path | None

    @property
    def wheel_version(self) -> tuple[int, ...] | None:
        """Return the numbers of the wheel's version by its file name, or None without a wheel."""
        found = re.match(r"torch_npu-(\d+(?:\.\d+)*)", self.wheel.name) if self.wheel else None
        return tuple(map(int, found[1].split("."))) if found else None


def read_settings() -> Settings:
    """Return what the environment says; SettingsError for a value that is none."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    wheel = os.environ.get("TORCH_NPU_SIM_WHEEL")
    return Settings(
        devices=_number("TORCH_NPU_SIM_DEVICES", "8"),
        memory=_bytes("TORCH_NPU_SIM_MEMORY", "4GiB"),
        cache=Path(os.environ.get("TORCH_NPU_SIM_CACHE") or home / "torch-npu-sim"),
        wheel=Path(wheel) if wheel else None,
    )


def _number(name: str, default: str) -> int:
    value = os.environ.get(name) or default
    if not value.isdecimal():
        raise SettingsError(f"{name}={value} is no number")
    return int(value)


def _bytes(name: str, default: str) -> int:
    value = os.environ.get(name) or default
    found = re.fullmatch(r"(\d+) *([KMGT]?)(?:i?B)?", value, re.IGNORECASE)
    if not found:
        raise SettingsError(f"{name}={value} is no amount of memory: write 4GiB, 512M or a number of bytes")
    return int(found[1]) * _UNITS[found[2].upper()]
