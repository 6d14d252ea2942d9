"""Puts the simulation in place when torch is imported: device, operators, and the modules of torch_npu.

torch_npu itself is no folder of this distribution: where the real one is installed, nothing of it is overwritten.
"""

import functools
import importlib
import os
import sys
import warnings
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from torch_npu_sim.schemas import torch_library, wheel
from torch_npu_sim.settings import read_settings, variable
from torch_npu_sim.surface import missing, modules, stand_ins
from torch_npu_sim.surface.library_constants import WheelWithConstants
from torch_npu_sim.surface.wheel_names import PACKAGE, likely


def autoload() -> None:
    """Load the simulation, unless the real torch_npu is there; torch's entry point of device backends.

    Without a wheel there is a device, and no torch_npu. Raises ImportError where a module of this package imports
    torch, which would have to be complete by now.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("torch_npu_sim.") and getattr(module.__spec__, "_initializing", False):
            raise ImportError(f"import torch before {name}: the simulation is loaded with torch, and needs that module")
    if version := real_one():
        warnings.warn(f"torch_npu {version} is installed here: its simulation stays out of the way", stacklevel=2)
        return
    if read_settings().wheel:
        load()
    else:
        from torch_npu_sim import device

        device.load()


@functools.cache
def load() -> None:
    """Register the device, declare the operators and let torch_npu be imported; once a process.

    Raises ImportError with one line for a wheel or sources that cannot be read, BuildError.
    """
    source = wheel.locate()
    everything, own = wheel.read(source), own_schemas()

    # These change torch when they are imported or called, so not before all texts are read.
    import torch

    from torch_npu_sim import device, operators, references, torchvision_stand_in
    from torch_npu_sim.graphs import recorder
    from torch_npu_sim.surface import distributed, formats, offered, out_lists
    from torch_npu_sim.triton import loading as triton

    device.load()
    references.load()
    unknown = left_out(everything)
    declared = {name: schema for name, schema in everything.items() if name not in unknown}
    operators.declare(declared)
    formats.implement(declared)
    for namespace, schemas in own.items():
        operators.declare(schemas, namespace)
    found = offered.members()
    modules.install(modules.Surface(WheelWithConstants(source), source.version, found))
    stand_ins.install()
    recorder.install()
    triton.install()
    package = importlib.import_module(PACKAGE)
    packets = {name.partition(".")[0] for name in declared} - set(found[PACKAGE])
    vars(package).update({name: getattr(torch.ops.npu, name) for name in packets})
    vars(package).update(out_lists.with_out_lists(declared))
    vars(package).update(_unreadable(source, everything))
    torch.distributed.is_hccl_available = distributed.is_hccl_available  # type: ignore[attr-defined]
    torchvision_stand_in.declare()
    # What the device alone gave to torch.npu has names that the wheel may lack.
    sys.modules["torch.npu"] = torch.npu = importlib.import_module(f"{PACKAGE}.npu")  # type: ignore[attr-defined]


def left_out(schemas: Mapping[str, str]) -> dict[str, str]:
    """Return the schemas that this torch does not understand, by name: a wheel for an older one may have some."""
    import torch

    found = {}
    for name, schema in schemas.items():
        try:
            torch._C.parse_schema(schema)
        except RuntimeError:
            found[name] = schema
    return found


def real_one() -> str | None:
    """Return the version of the real torch_npu that is installed here, or None."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return None


def own_schemas(environment: Mapping[str, str] = os.environ) -> dict[str, dict[str, str]]:
    """Return the schemas of the plugin's own operators: namespace → name with overload → schema.

    Raises ImportError with one line for a path that is not there.
    """
    settings = read_settings(environment)
    found: dict[str, dict[str, str]] = {}
    try:
        for operator in torch_library.declared(settings.csrc, settings.defines):
            if operator.schema is not None:
                found.setdefault(operator.namespace, {})[operator.name] = operator.schema
    except OSError as error:
        raise ImportError(f"{variable('csrc')}: cannot read {error.filename}: {error.strerror}") from None
    return found


def _unreadable(source: wheel.Source, declared: Mapping[str, str]) -> dict[str, Any]:
    """Operators that the wheel has, and whose schemas are compiled into instructions: refused by name."""
    return {
        name: missing.stand_in(
            f"{PACKAGE}.{name}",
            likely(name),
            f"the simulation has no schema of {name}: torch_npu {source.version} holds it in machine code alone",
        )
        for name in wheel.without_schema(source, declared)
    }
