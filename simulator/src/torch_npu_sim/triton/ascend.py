"""The names of Triton-Ascend: those that the interpreter computes, and the others, which refuse their use."""

import functools
import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib import resources
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import yaml

from torch_npu_sim.surface.missing import stand_in
from torch_npu_sim.surface.stand_ins import PROVIDERS, StandInFinder
from torch_npu_sim.surface.wheel_names import likely

#: Newer releases have it, no wheel of which is in the package index; so it has any name.
_UNLISTED = "triton.language.extra.cann"
_LANGUAGE = "triton.language"
_COMPUTED = {
    _LANGUAGE: "torch_npu_sim.triton.cann.extension",
    "triton.language.extra.ascend.libdevice": "torch_npu_sim.triton.cann.libdevice",
}


@functools.cache
def names() -> Mapping[str, tuple[str, ...]]:
    """Return the names of each module, as the wheel has them (``ascend_names.yaml``)."""
    text = resources.files(__package__).joinpath("ascend_names.yaml").read_text(encoding="utf-8")
    return {module: tuple(listed.split()) for module, listed in yaml.safe_load(text)["modules"].items()}


class AscendFinder(MetaPathFinder, Loader):
    """Imports the modules that Triton-Ascend adds to Triton."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a stand-in for a module of Triton-Ascend, None for any other."""
        if fullname not in names():
            return None
        return ModuleSpec(fullname, self, is_package=any(module.startswith(f"{fullname}.") for module in names()))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, empty."""
        return _AscendModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: names are made when they are asked for."""


class _AscendModule(ModuleType):
    """Has the names that Triton-Ascend's module has, and no other."""

    def __getattr__(self, name: str) -> Any:
        if name not in names()[self.__name__]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        vars(self)[name] = value = _value(self.__name__, name)
        return value


def _value(module: str, name: str) -> Any:
    """Return what computes a name, else what refuses its use."""
    provider = _COMPUTED.get(module)
    computed = getattr(importlib.import_module(provider), name, None) if provider else None
    qualified = f"{module}.{name}"
    sentence = f"the simulation does not do {qualified}, which is Triton-Ascend's: kernels are interpreted"
    return stand_in(qualified, likely(name), sentence) if computed is None else computed


def install() -> None:
    """Let Triton-Ascend's modules be imported, behind everything that is installed."""
    sys.meta_path += [AscendFinder(), StandInFinder((_UNLISTED,), PROVIDERS)]


def complete() -> None:
    """Give Triton, once it is imported, what Triton-Ascend puts into its modules."""
    language = importlib.import_module(_LANGUAGE)
    for name in names()[_LANGUAGE]:
        if not hasattr(language, name):
            setattr(language, name, _value(_LANGUAGE, name))
    for module in ("triton.language.extra.ascend.libdevice", f"{_UNLISTED}.extension", f"{_UNLISTED}.libdevice"):
        importlib.import_module(module)
