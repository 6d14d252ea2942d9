"""The driver that tells Triton about the device."""

from typing import Any

from torch_npu_sim.device import current


class _Utilities:
    def get_device_properties(self, index: int) -> dict[str, int]:
        """Return the cores of the device, as Triton-Ascend names them."""
        found = current.get_device_properties(index)
        return {"num_aicore": found.cube_core_num, "num_vectorcore": found.vector_core_num}


class Driver:
    """Stands in for Triton-Ascend's driver: kernels are interpreted, nothing is compiled."""

    utils = _Utilities()

    def get_current_target(self) -> Any:
        """Return the target that kernels would be compiled for."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget("npu", current.get_device_name(), 0)

    def get_current_device(self) -> int:
        """Return the number of the current device."""
        return current.current_device()

    def get_active_torch_device(self) -> Any:
        """Return the current device."""
        import torch

        return torch.device("npu", current.current_device())


def install() -> None:
    """Make it the driver that Triton asks."""
    import triton

    triton.runtime.driver.set_active(Driver())
