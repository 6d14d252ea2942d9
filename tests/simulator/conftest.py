from __future__ import annotations

import sys
from pathlib import Path

# The simulator is a distribution of its own, which is not installed where syncbot is.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "src"))
