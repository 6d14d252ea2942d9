"""torch_npu's operators, one thin module a family.

Importing any of them brings torch_npu into the process first, and refuses one that lacks an operator that the modules
call.
"""

from ascend_backend.device import load_torch_npu
from ascend_backend.ops.availability import require

load_torch_npu()
require()
