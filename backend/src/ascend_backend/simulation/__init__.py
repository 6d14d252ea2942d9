"""A simulated NPU: torch_npu's operators under their real names and schemas, computed by plain torch.

``install`` puts it in place of torch_npu in this process. What it cannot show: kernel numerics, NZ formats,
graphs, HCCL, copies between host and device, races between streams, memory profiling and speed.
"""

import sys

from ascend_backend.simulation import schemas


def install() -> None:
    """Put the simulated device in place of ``torch_npu`` and ``torch.npu``; a second call does nothing.

    Raises ImportError with one line when there is no torch_npu wheel to read the schemas from.
    """
    if "torch_npu" in sys.modules:
        return
    source = schemas.locate()
    declared = schemas.read(source)

    # These modules change torch when they are imported or called, so not before a wheel is found.
    from ascend_backend.simulation import (
        device,
        operators,
        references,
        torchvision_stand_in,
        triton_interpreter,
    )

    references.load()
    operators.declare(declared)
    device.install(source.version)
    triton_interpreter.complete()
    torchvision_stand_in.declare()
