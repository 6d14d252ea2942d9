"""A simulated NPU: torch_npu's operators under their real names and schemas, computed by plain torch.

``install`` puts it in place of torch_npu in this process. What it cannot show: kernel numerics, NZ formats,
graphs, HCCL, copies between host and device, races between streams, memory profiling and speed.
"""

import sys

from torch_npu_sim.schemas import wheel


def install() -> None:
    """Put the simulated device in place of ``torch_npu`` and ``torch.npu``; a second call does nothing.

    Raises ImportError with one line when there is no torch_npu wheel to read the schemas from.
    """
    if "torch_npu" in sys.modules:
        return
    source = wheel.locate()
    declared = wheel.read(source)

    # These modules change torch when they are imported or called, so not before a wheel is found.
    from torch_npu_sim import (
        cpu_stand_in,
        operators,
        references,
        torchvision_stand_in,
    )
    from torch_npu_sim.triton import interpreter

    references.load()
    operators.declare(declared)
    cpu_stand_in.install(source.version)
    interpreter.complete()
    torchvision_stand_in.declare()
