"""A simulated NPU for a CPU build of torch: torch_npu's operators under their real names and schemas, on a device `npu`.

`import torch` loads it (`surface.loading`). What it cannot show is said first in the README.
"""
