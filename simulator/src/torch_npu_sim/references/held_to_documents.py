"""Has a run hold each call to the rows of ``torch_npu_sim.strictness``, where it asks for that: before the operators are
declared.

It is no reference. It stands among them because they are what is loaded first, by their presence; a run that does not
ask executes nothing but the question.
"""

import os

if os.environ.get("TORCH_NPU_SIM_DOCUMENTS") == "1":
    from torch_npu_sim.strictness import enforcement

    enforcement.install()
