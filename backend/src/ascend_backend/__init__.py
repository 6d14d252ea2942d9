"""vLLM on Ascend NPUs.

Importing the package needs neither torch nor vLLM; it only makes sure that this wheel stands beside the
vLLM it was made for.
"""

from ascend_backend._lane import WHEEL_VERSION as __version__
from ascend_backend.version_check import require_matching_vllm

require_matching_vllm()

__all__ = ["__version__"]
