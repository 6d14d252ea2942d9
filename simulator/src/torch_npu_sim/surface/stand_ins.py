"""Modules outside of torch_npu that a plugin imports: stand-ins, put in on request alone."""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from torch_npu_sim.settings import read_settings, variable
from torch_npu_sim.surface.missing import stand_in
from torch_npu_sim.surface.wheel_names import likely

#: What has names of a module that stands in, unless the variable says another.
PROVIDERS = {
    "acl.rt": "torch_npu_sim.surface.acl_runtime",
    "triton.language.extra.cann": "torch_npu_sim.triton.cann",
    "triton.language.extra.cann.extension": "torch_npu_sim.triton.cann.extension",
    "triton.language.extra.cann.libdevice": "torch_npu_sim.triton.cann.libdevice",
}

#: Why a module that plugins import is not there.
REASONS = {
    "acl": "CANN's Python interface comes with CANN",
    "fla_npu": "kernels of linear attention, compiled for the device",
    "triton.language.extra.cann": "Triton-Ascend's own additions to Triton",
}
_ASKED = f"asked for by {variable('stand_ins')}"


class StandInFinder(MetaPathFinder, Loader):
    """Imports the modules that are asked for, unless they are installed."""

    def __init__(self, requested: Sequence[str], providers: Mapping[str, str] = PROVIDERS) -> None:
        self._requested = tuple(requested)
        self._providers = providers

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a stand-in for a module that was asked for, lies below one, or between one and its first package."""
        asked = any(
            f"{fullname}.".startswith(f"{module}.") or ("." in fullname and module.startswith(f"{fullname}."))
            for module in self._requested
        )
        return ModuleSpec(fullname, self, is_package=True) if asked else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, empty."""
        return _StandIn(spec.name, self._providers.get(spec.name))

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: names are made when they are asked for."""


class _StandIn(ModuleType):
    """Has any name; what it gives refuses to be used, unless another module has it or the simulation computes it."""

    def __init__(self, name: str, provider: str | None) -> None:
        super().__init__(name)
        self.__provider = provider

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        qualified = f"{self.__name__}.{name}"
        value = _computed(qualified)
        if self.__provider:
            value = getattr(importlib.import_module(self.__provider), name, None)
        if value is None:
            value = stand_in(qualified, likely(name), f"the simulation does not do {qualified} ({reason(qualified)})")
        vars(self)[name] = value
        return value


def _computed(name: str) -> Any:
    """Return the function of that name that the simulation computes, or None."""
    if not name.startswith("fla_npu."):
        return None
    from torch_npu_sim import linear_attention

    return linear_attention.computed().get(name)


def reason(module: str) -> str:
    """Return why a module, or what is in it, is a stand-in."""
    return next((why for name, why in REASONS.items() if f"{module}.".startswith(f"{name}.")), _ASKED)


def requested(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the modules that the settings ask for; a module brings its submodules along.

    A plugin's compiled extension is one of them: its operators are declared from its C++.
    """
    return tuple(name for name, _ in read_settings(environment).stand_ins)


def providers(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the module that has the names of another, by the other's name."""
    return PROVIDERS | {name: provider for name, provider in read_settings(environment).stand_ins if provider}


def install(environment: Mapping[str, str] = os.environ) -> None:
    """Put in what the settings ask for, behind everything that is installed."""
    asked = requested(environment)
    if asked:
        sys.meta_path.append(StandInFinder(asked, providers(environment)))
