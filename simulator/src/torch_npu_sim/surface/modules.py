"""Modules of torch_npu with the names of the wheel: simulated, literals, or refusing their use by name."""

import enum
import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from torch_npu_sim.surface.missing import stand_in
from torch_npu_sim.surface.wheel_names import ALIASES, PACKAGE, Kind, Name, WheelNames


class Surface:
    """Gives the names of each module, made when they are first asked for.

    ``offered`` holds what is simulated: module → name → value. A name that the wheel's module takes from
    another module is looked for there, too, and the other way round.
    """

    def __init__(self, wheel: WheelNames, version: str, offered: Mapping[str, Mapping[str, Any]]) -> None:
        self.wheel = wheel
        self.version = version
        self._offered = offered
        # A module that is known under two names has the same things under both.
        self._values: dict[tuple[str, str], Any] = {}

    def value(self, module: str, name: str) -> Any:
        """Return what the name of the module is. Raises AttributeError where the wheel's module lacks it."""
        found = self.wheel.names(module).get(name)
        if found is None:
            submodule = f"{module}.{name}"
            if self.wheel.is_package(module) and self.wheel.has_module(submodule):
                return importlib.import_module(submodule)
            raise AttributeError(f"module {module!r} has no attribute {name!r} (torch_npu {self.version})")
        if (module, name) not in self._values:
            self._values[module, name] = self._made(module, name, found)
        return self._values[module, name]

    def _made(self, module: str, name: str, found: Name) -> Any:
        offered = self._offered.get(module, {})
        if name in offered:
            return offered[name]
        match found.kind:
            case Kind.LITERAL:
                return found.value
            case Kind.ENUMERATION:
                return _enumeration(module, name, found)
            case Kind.MODULE:
                return importlib.import_module(found.module)
            case Kind.IMPORTED:
                return self._imported(module, name, found)
        taken = self._taken_by_parent(module, name)
        return self._stand_in(module, name, found.kind) if taken is None else taken

    def _imported(self, module: str, name: str, found: Name) -> Any:
        source = known_as(found.module)
        if source.partition(".")[0] == PACKAGE and not self._has(source, found.attribute):
            return self._stand_in(module, name, Kind.OTHER)
        try:
            if source == module:
                return importlib.import_module(f"{module}.{found.attribute}")
            return getattr(importlib.import_module(source), found.attribute)
        except (ImportError, AttributeError):
            if source.partition(".")[0] == PACKAGE:
                raise
            # This torch is not the one that the wheel is for.
            return self._stand_in(module, name, Kind.OTHER)

    def _has(self, module: str, name: str) -> bool:
        known = self.wheel.has_module(module) and name in self.wheel.names(module)
        return known or self.wheel.has_module(f"{module}.{name}")

    def _stand_in(self, module: str, name: str, kind: Kind) -> Any:
        sentence = f"the simulation does not do {module}.{name} (torch_npu {self.version} has it)"
        return stand_in(f"{module}.{name}", kind, sentence)

    def _taken_by_parent(self, module: str, name: str) -> Any:
        """Return the value that a package above offers if it imports this very name from here, else None."""
        parent = module.rpartition(".")[0]
        while parent:
            offered = self._offered.get(parent, {})
            theirs = self.wheel.names(parent).get(name) if name in offered else None
            if theirs is not None and theirs.kind is Kind.IMPORTED and theirs.attribute == name:
                return offered[name]
            parent = parent.rpartition(".")[0]
        return None


class SurfaceModule(ModuleType):
    """A module of torch_npu whose names come from a surface."""

    def __init__(self, name: str, known_as: str, surface: Surface) -> None:
        super().__init__(name)
        vars(self)["_surface"] = (surface, known_as)

    def __getattr__(self, name: str) -> Any:
        surface, module = vars(self)["_surface"]
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = surface.value(module, name)
        vars(self)[name] = value
        return value

    def __dir__(self) -> list[str]:
        surface, module = vars(self)["_surface"]
        return sorted({*vars(self), *surface.wheel.names(module)} - {"_surface"})


class SurfaceFinder(MetaPathFinder, Loader):
    """Imports torch_npu, the modules below it, and the packages that it offers under names of their own."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where the module is from, or None where the wheel has no such module."""
        module = known_as(fullname)
        if module.partition(".")[0] != PACKAGE or not self._surface.wheel.has_module(module):
            return None
        return ModuleSpec(fullname, self, is_package=self._surface.wheel.is_package(module))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, empty."""
        return SurfaceModule(spec.name, known_as(spec.name), self._surface)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: names are made when they are asked for."""


def known_as(module: str) -> str:
    """Return the name below torch_npu of a module that it offers under another one."""
    first, dot, rest = module.partition(".")
    return f"{ALIASES[first]}{dot}{rest}" if first in ALIASES else module


def install(surface: Surface) -> None:
    """Let Python import the modules of the surface."""
    sys.meta_path.insert(0, SurfaceFinder(surface))


def _enumeration(module: str, name: str, found: Name) -> Any:
    made = getattr(enum, found.attribute)(name, found.value, module=module)
    if found.bare:
        made.__str__ = lambda member: member.name
    return made
