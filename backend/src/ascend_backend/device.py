"""Which device this process runs on: an NPU through torch_npu, or the simulated one."""

import os

#: Set to 1 to put the simulated device in place of torch_npu and CANN.
SIMULATE_VARIABLE = "ASCEND_SIMULATE"


def simulated() -> bool:
    """Return whether the simulated device is asked for (``ASCEND_SIMULATE=1``)."""
    return os.environ.get(SIMULATE_VARIABLE) == "1"


def load_torch_npu() -> None:
    """Import torch_npu, or install the simulated device in its place.

    Raises ImportError with one line when torch_npu is missing or cannot find CANN.
    """
    if simulated():
        from torch_npu_sim import install

        install()
        return
    try:
        import torch_npu  # noqa: F401
    except (ImportError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ImportError(
            f"torch_npu cannot be imported ({reason}); install torch_npu and CANN, "
            f"or set {SIMULATE_VARIABLE}=1 to simulate a device"
        ) from error


def device_type() -> str:
    """Return torch's name of the device: ``npu``; the simulated device's tensors live on ``cpu``."""
    return "cpu" if simulated() else "npu"


def dispatch_key() -> str:
    """Return the dispatch key under which torch finds kernels for the device."""
    return "CPU" if simulated() else "PrivateUse1"


def collective_backend() -> str:
    """Return the torch.distributed backend that connects the devices."""
    return "gloo" if simulated() else "hccl"
