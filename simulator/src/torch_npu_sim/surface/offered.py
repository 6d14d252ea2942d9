"""The simulated members of torch_npu, by the module and the name that torch_npu gives them."""

import types
from collections.abc import Callable
from typing import Any

import torch

from torch_npu_sim.device import current, memory, random
from torch_npu_sim.graphs import recorder
from torch_npu_sim.surface import distributed
from torch_npu_sim.surface.wheel_names import PACKAGE

#: What torch_npu calls the chip that ``get_device_name`` names.
_ASCEND_910B3 = 222


def members() -> dict[str, dict[str, Any]]:
    """Return what is simulated: module → name → value; what the wheel lacks is taken out by the surface."""
    device = {name: getattr(part, name) for part in (current, memory, random) for name in part.__all__}
    return {
        PACKAGE: {
            "get_npu_format": _get_npu_format,
            "unsupported_dtype": [torch.quint8, torch.quint4x2, torch.quint2x4, torch.qint32, torch.qint8],
        },
        f"{PACKAGE}.npu": {**device, **_SWITCHES, **recorder.MEMBERS, "config": _Configuration()},
        f"{PACKAGE}._C": {"_weak_ref_tensor": torch.Tensor.detach},
        f"{PACKAGE}._C._distributed_c10d": {"ProcessGroupHCCL": distributed.ProcessGroupHCCL},
        f"{PACKAGE}.distributed": {"is_hccl_available": distributed.is_hccl_available},
        f"{PACKAGE}.op_plugin.atb._atb_ops": {"_register_atb_extensions": _nothing("_register_atb_extensions")},
        # Patterns of a compiler that never runs.
        f"{PACKAGE}.dynamo.npugraph_ex.patterns.pattern_pass_manager": {
            "register_replacement": _nothing("register_replacement")
        },
        f"{PACKAGE}.profiler.dynamic_profile": {"init": _nothing("init"), "step": _nothing("step")},
    }


class _Configuration(types.SimpleNamespace):
    """``torch.npu.config``: switches that are remembered and change nothing."""

    allow_internal_format = False


def _nothing(name: str) -> Callable[..., None]:
    """Return a function that does nothing: what it tells the device has no meaning for a simulated one.

    Each name has one of its own, as Dynamo asks for.
    """

    def ignored(*arguments: Any, **keywords: Any) -> None:
        return None

    ignored.__name__ = ignored.__qualname__ = name
    return ignored


def _get_npu_format(tensor: torch.Tensor) -> Any:
    """Return the format of a tensor's memory as torch_npu names it."""
    from torch_npu.npu._format import Format

    return Format(torch.ops.npu.get_npu_format(tensor))


#: Settings of compilers and kernels that the simulation does not have.
_SWITCHES: dict[str, Callable[..., Any]] = {
    "get_soc_version": lambda: _ASCEND_910B3,
    "is_jit_compile_false": lambda: True,
    "set_compile_mode": _nothing("set_compile_mode"),
    "set_mm_bmm_format_nd": _nothing("set_mm_bmm_format_nd"),
    "set_option": _nothing("set_option"),
    "super_kernel_scope_begin": _nothing("super_kernel_scope_begin"),
    "super_kernel_scope_end": _nothing("super_kernel_scope_end"),
}
