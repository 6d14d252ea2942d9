from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

# The simulator is a distribution of its own, which is not installed where syncbot is.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "src"))

# The tests of these folders run where there is a CPU build of torch: with the python of a lane environment.
collect_ignore = [] if find_spec("torch") else ["device", "loaded", "operators"]
