"""``python -m torch_npu_sim.surface FOLDER``: reads the constants of torch_npu's library into a folder.

``TORCH_NPU_SIM_WHEEL`` names the wheel, and ``TORCH_NPU_SIM_CACHE`` takes such a folder.
"""

import os
import sys

from torch_npu_sim.schemas.wheel import locate
from torch_npu_sim.settings import variable
from torch_npu_sim.surface.library_constants import WheelWithConstants


def main() -> int:
    """Read into the folder that is the one argument; return 1 after one line where that cannot be."""
    if len(sys.argv) != 2:
        print("usage: python -m torch_npu_sim.surface FOLDER", file=sys.stderr)
        return 2
    os.environ[variable("cache")] = sys.argv[1]
    try:
        print(f"{len(WheelWithConstants(locate()).constants)} constants")
    except ImportError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
