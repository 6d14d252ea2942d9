"""torch_npu's operators, one thin module a family.

Importing any of them brings torch_npu, or the simulated device, into the process first.
"""

from ascend_backend.device import load_torch_npu

load_torch_npu()
