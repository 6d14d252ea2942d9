"""Has strict runs hold each call to the rows of ``torch_npu_sim.strictness``: before the operators are declared.

It is no reference. It stands among them because they are what is loaded first, by their presence; a run that is not
strict executes nothing but the question.
"""

from torch_npu_sim.settings import read_settings

if read_settings().strict:
    from torch_npu_sim.strictness import enforcement

    enforcement.install()
