"""Typed settings of the simulator: the only place that reads its environment variables, anew each time."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
#: The kinds of Triton that a process can have.
TRITON = ("absent", "interpreted", "ascend")


class SettingsError(ValueError):
    """A variable of the simulator has a value that it does not know; the message names both, in one line."""


@dataclass(frozen=True)
class Variable:
    """A variable of the environment: its meaning, its default in words, and how its text is read."""

    name: str
    meaning: str
    default: str
    read: Callable[[str], Any]
    #: Whether an empty text is a value of its own; else it is as if the variable were not set.
    empty_counts: bool = False


def _number(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ValueError("no number of at least 1")
    return int(text)


def _version(text: str) -> tuple[int, ...]:
    found = re.match(r"\d+(\.\d+)+", text)
    if not found:
        raise ValueError("no version such as 2.11.0.post3")
    return tuple(map(int, found[0].split(".")))


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+) *([KMGT]?)(?:i?B)?", text, re.IGNORECASE)
    if not found:
        raise ValueError("no amount of memory: write 4GiB, 512M or a number of bytes")
    return int(found[1]) * _UNITS[found[2].upper()]


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError("neither 0 nor 1")
    return text == "1"


def _triton(text: str) -> str:
    if text not in TRITON:
        raise ValueError(f"none of {', '.join(TRITON)}")
    return text


def _paths(text: str) -> tuple[Path, ...]:
    return tuple(Path(path) for path in text.split(os.pathsep) if path)


def _macros(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if any(not re.fullmatch(r"[A-Za-z_]\w*", name) for name in names):
        raise ValueError("no list of macros' names with commas between")
    return names


def _modules(text: str) -> tuple[tuple[str, str], ...]:
    parts = [entry.partition("=") for entry in text.split(",") if entry.strip()]
    found = tuple((name.strip(), provider.strip()) for name, _, provider in parts)
    named = [name for name, _ in found] + [provider.strip() for _, sign, provider in parts if sign]
    if not all(map(_DOTTED.fullmatch, named)):
        raise ValueError("no list of modules, such as acl,plugin.plugin_C=other")
    return found


@dataclass(frozen=True)
class Settings:
    """The settings of this process."""

    wheel: Annotated[
        Path | None,
        Variable(
            "TORCH_NPU_SIM_WHEEL",
            "the torch_npu wheel whose names, schemas and version are simulated; without it there is a device and no "
            "torch_npu",
            "none",
            Path,
        ),
    ]
    #: None where it is the wheel's.
    version: Annotated[
        tuple[int, ...] | None,
        Variable(
            "TORCH_NPU_SIM_VERSION",
            "the torch_npu that is meant, where the wheel is of a newer one: `torch.accelerator` has the memory "
            "functions that this version has",
            "the wheel's",
            _version,
        ),
    ]
    devices: Annotated[int, Variable("TORCH_NPU_SIM_DEVICES", "how many devices there are", "`8`", _number)]
    memory: Annotated[
        int, Variable("TORCH_NPU_SIM_MEMORY", "the memory of each device, which is the host's", "`4GiB`", _bytes)
    ]
    csrc: Annotated[
        tuple[Path, ...],
        Variable(
            "TORCH_NPU_SIM_CSRC",
            "C++ files or folders of a plugin: the operators of their `TORCH_LIBRARY` blocks are declared with their "
            "schemas",
            "none",
            _paths,
        ),
    ]
    #: None where the variable is not set; empty where it is empty.
    defines: Annotated[
        tuple[str, ...] | None,
        Variable(
            "TORCH_NPU_SIM_DEFINES",
            "macros that the plugin's build defines, with commas between; without it both sides of every condition "
            "count",
            "none",
            _macros,
            empty_counts=True,
        ),
    ]
    #: Each with the module that has names for it, or an empty text.
    stand_ins: Annotated[
        tuple[tuple[str, str], ...],
        Variable(
            "TORCH_NPU_SIM_STAND_INS",
            "modules that the plugin imports and that are not there, such as its compiled extension or `acl`: they can "
            "be imported, and refuse their use; `module=other` gives it the names that `other` has",
            "none",
            _modules,
        ),
    ]
    #: None where nobody chose.
    triton: Annotated[
        str | None,
        Variable(
            "TORCH_NPU_SIM_TRITON",
            "`absent`; `interpreted`: Triton, whose interpreter runs kernels on the CPU; `ascend`: the same, with the "
            "modules and names of Triton-Ascend",
            "what is installed",
            _triton,
        ),
    ]
    strict: Annotated[
        bool,
        Variable(
            "TORCH_NPU_SIM_STRICT",
            "`1` refuses also what devices are known to take against the documentation, and updates of a graph that "
            "could overtake its replay",
            "`0`",
            _switch,
        ),
    ]
    float32: Annotated[
        bool,
        Variable(
            "TORCH_NPU_SIM_FLOAT32",
            "`1` lets float32 stand in for the half types where an operator documents those alone, so that tokens can "
            "be compared with a reference in float32",
            "`0`",
            _switch,
        ),
    ]
    took_effect: Annotated[
        Path | None,
        Variable(
            "TORCH_NPU_SIM_TOOK_EFFECT",
            "a file to which every process adds a line each time that a planted fault takes effect",
            "none",
            Path,
        ),
    ]
    compiled: Annotated[
        Path | None,
        Variable(
            "TORCH_NPU_SIM_COMPILED",
            "a folder with compiled devices, as `python -m torch_npu_sim.device FOLDER` makes one; what it lacks "
            "is compiled into the cache",
            "none",
            Path,
        ),
    ]
    cache: Annotated[
        Path,
        Variable(
            "TORCH_NPU_SIM_CACHE",
            "where the compiled device, and what was read of wheels, are kept",
            "the user's cache",
            Path,
        ),
    ]

    @property
    def wheel_version(self) -> tuple[int, ...] | None:
        """Return the numbers of the wheel's version by its file name, or None without a wheel."""
        found = re.match(r"torch_npu-(\d+(?:\.\d+)+)", self.wheel.name) if self.wheel else None
        return _version(found[1]) if found else None


#: By the name of the setting.
VARIABLES: Mapping[str, Variable] = {
    name: hint.__metadata__[0] for name, hint in get_type_hints(Settings, include_extras=True).items()
}


def variable(setting: str) -> str:
    """Return the name of the variable of a setting: ``wheel`` has ``TORCH_NPU_SIM_WHEEL``."""
    return VARIABLES[setting].name


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return what the environment says; SettingsError with one line for a value that a variable cannot have."""
    texts = tuple(environment.get(each.name) for each in VARIABLES.values())
    return _settings(texts, environment.get("XDG_CACHE_HOME") or "~/.cache")


@functools.lru_cache(maxsize=16)
def _settings(texts: tuple[str | None, ...], caches: str) -> Settings:
    """Return the settings of these texts, in the order of the fields: operators ask at every call."""
    found: dict[str, Any] = dict.fromkeys(VARIABLES) | {
        "devices": 8,
        "memory": 4 << 30,
        "csrc": (),
        "stand_ins": (),
        "strict": False,
        "float32": False,
        "cache": Path(caches).expanduser() / "torch-npu-sim",
    }
    for (setting, each), text in zip(VARIABLES.items(), texts, strict=True):
        if text or (text is not None and each.empty_counts):
            try:
                found[setting] = each.read(text)
            except ValueError as error:
                raise SettingsError(f"{each.name}={text} is {error}") from None
    return Settings(**found)
