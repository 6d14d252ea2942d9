"""Puts the simulation in place: device, operators, and the modules of torch_npu."""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from torch_npu_sim.schemas import torch_library, wheel
from torch_npu_sim.surface import modules
from torch_npu_sim.surface.library_constants import WheelWithConstants
from torch_npu_sim.surface.wheel_names import PACKAGE

#: C++ files, or folders of them, whose ``TORCH_LIBRARY`` blocks declare the plugin's own operators.
CSRC_VARIABLE = "TORCH_NPU_SIM_CSRC"
#: The macros that the plugin's build defines, with commas between; unset, both sides of every condition count.
DEFINES_VARIABLE = "TORCH_NPU_SIM_DEFINES"


def load() -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of torch_npu, with everything else in place.

    Raises ImportError with one line where the real torch_npu is installed, or no wheel is named.
    """
    refuse_real_one()
    source = wheel.locate()
    names = WheelWithConstants(source)
    declared = wheel.read(source)

    # These change torch when they are imported or called, so not before a wheel is found.
    import torch

    from torch_npu_sim import operators, references
    from torch_npu_sim.device import load as load_device
    from torch_npu_sim.surface import offered, stand_ins

    load_device()
    references.load()
    operators.declare(declared)
    for namespace, schemas in own_schemas().items():
        operators.declare(schemas, namespace)
    found = offered.members()
    surface = modules.Surface(names, source.version, found)
    modules.install(surface)
    stand_ins.install()

    def of_package(name: str) -> Any:
        if name in declared_names:
            return getattr(torch.ops.npu, name)
        return surface.value(PACKAGE, name)

    declared_names = {name.partition(".")[0] for name in declared} - set(found[PACKAGE])
    # What the device alone gave to torch.npu has names that the wheel may lack.
    sys.modules["torch.npu"] = torch.npu = importlib.import_module(f"{PACKAGE}.npu")  # type: ignore[attr-defined]
    return of_package, lambda: sorted({*vars(sys.modules[PACKAGE]), *names.names(PACKAGE), *declared_names})


def refuse_real_one() -> None:
    """Raise ImportError with one line where the real torch_npu is installed beside this package."""
    for distribution in metadata.distributions(name="torch_npu"):
        if any(str(file) == f"{PACKAGE}/__init__.py" for file in distribution.files or ()):
            raise ImportError(
                f"torch_npu {distribution.version} and its simulation are both installed: pip uninstall one of "
                "torch-npu and torch-npu-sim, then install the other anew with --force-reinstall"
            )


def own_schemas(environment: Mapping[str, str] = os.environ) -> dict[str, dict[str, str]]:
    """Return the schemas of the plugin's own operators: namespace → name with overload → schema.

    Raises ImportError with one line for a path that is not there.
    """
    paths = [Path(path) for path in environment.get(CSRC_VARIABLE, "").split(os.pathsep) if path]
    defines = environment.get(DEFINES_VARIABLE)
    found: dict[str, dict[str, str]] = {}
    try:
        for operator in torch_library.declared(paths, None if defines is None else defines.split(",")):
            if operator.schema is not None:
                found.setdefault(operator.namespace, {})[operator.name] = operator.schema
    except OSError as error:
        raise ImportError(f"{CSRC_VARIABLE}: cannot read {error.filename}: {error.strerror}") from None
    return found
