"""Host functions of vllm-ascend's extension (``csrc/torch_binding.cpp``): views, copies by address, names.

The memory of the simulated device is the host's, so that an address of either is one of this process.
"""

import ctypes

import torch

from torch_npu_sim.constraints import dtype, require
from torch_npu_sim.operators import reference

_VIEW = "_C_ascend::get_npu_view_from_cpu_tensor"
_SWAP = "_C_ascend::swap_blocks_batch"
_PHYSICAL = "_C_ascend::get_physical_device_id"

_HOST_TO_DEVICE, _DEVICE_TO_HOST, _DEVICE_TO_DEVICE = 0, 1, 2


@reference(_VIEW, on_host=True)
def get_npu_view_from_cpu_tensor(cpu_tensor: torch.Tensor) -> torch.Tensor | None:
    """Return a tensor of npu over the memory of a pinned tensor; None of another."""
    require(cpu_tensor.device.type == "cpu", _VIEW, "UVA view requires a CPU tensor")
    if not cpu_tensor.is_pinned():
        return None
    from torch_npu_sim import device

    return device.device(cpu_tensor)


@reference(_SWAP, on_host=True)
def swap_blocks_batch(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor, direction: int) -> None:
    """Copy from each address in ``x`` to that in ``y`` as many bytes as ``z`` says."""
    for name, values in (("src_ptrs", x), ("dst_ptrs", y), ("sizes", z)):
        require(values.device.type == "cpu", _SWAP, f"{name} must be on CPU")
        dtype(_SWAP, (torch.int64,), **{name: values})
        require(values.shape == x.shape, _SWAP, f"{name} length must match src_ptrs")
    known = direction in (_HOST_TO_DEVICE, _DEVICE_TO_HOST, _DEVICE_TO_DEVICE)
    require(known, _SWAP, f"invalid direction {direction} (expected 0=H2D, 1=D2H, 2=D2D)")
    for source, target, size in zip(x.tolist(), y.tolist(), z.tolist(), strict=True):
        ctypes.memmove(target, source, size)


@reference(_PHYSICAL, on_host=True)
def get_physical_device_id(user_device_id: int) -> int:
    """Return the number itself: all simulated devices are visible, in their order."""
    return user_device_id
