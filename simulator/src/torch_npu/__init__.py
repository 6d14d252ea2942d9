"""torch_npu, simulated: a device named ``npu`` on a CPU build of torch, and the names of a torch_npu wheel.

Loaded by ``import torch`` through the entry point of device backends, as the real one. See torch_npu_sim.
"""

import os as _os

# ``import torch`` in here must not load this package again.
_asked = _os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1")
_os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

from torch_npu_sim.surface import loading as _loading  # noqa: E402

__getattr__, __dir__ = _loading.load()


def _autoload() -> None:
    """Called by torch when it is imported; all is done by then."""
    _os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = _asked


_autoload()
