"""``python -m torch_npu_sim.device FOLDER``: compiles the device for this Python's torch into a folder.

``TORCH_NPU_SIM_COMPILED`` takes such a folder, and so does the build of the simulator's wheel.
"""

import os
import sys
from pathlib import Path

from torch_npu_sim.device.build import BuildError, compile_into


def main() -> int:
    """Compile into the folder that is the one argument; return 1 after one line where that cannot be."""
    if len(sys.argv) != 2:
        print("usage: python -m torch_npu_sim.device FOLDER", file=sys.stderr)
        return 2
    # Else torch would load the device, which is not there yet.
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    try:
        compile_into(Path(sys.argv[1]))
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
