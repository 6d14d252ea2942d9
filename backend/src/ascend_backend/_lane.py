"""What this wheel was made for.

Written by the lane generator for every lane; the committed file is the baseline's own.
"""

VLLM = "0.33.0"
TORCH = "2.14.0"
TORCH_NPU = "2.14.0"
WHEEL_VERSION = "0.33.0"
