"""What this wheel was made for.

Written by the lane generator for every lane; the committed file is the baseline's own.
"""

VLLM = "0.32.0"
TORCH = "2.13.0"
TORCH_NPU = "2.13.0"
WHEEL_VERSION = "0.32.0"
