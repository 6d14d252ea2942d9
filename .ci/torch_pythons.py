"""The interpreters for which a wheel of the simulator ships its device: of the installed environments of
lanes, one for each torch.

``make simulator-wheel TORCH_PYTHONS="$(.venv/bin/python .ci/torch_pythons.py)"``
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from syncbot.upstream.cache_folder import cache_dir


def of_each_torch(environments: Path) -> list[Path]:
    """Return an interpreter for each torch that is installed in one of the environments."""
    found: dict[str, Path] = {}
    for marker in sorted(environments.glob("*/environment.json")):
        installed = json.loads(marker.read_text(encoding="utf-8"))["installed"]
        python = marker.parent / "bin" / "python"
        found |= {pin: python for pin in installed if pin.startswith("torch==") and python.exists()}
    return list(found.values())


def main() -> int:
    """Print them; return 1 with one line where no lane is installed."""
    pythons = of_each_torch(cache_dir() / "environments")
    if not pythons:
        print("no environment of a lane is installed: run `syncbot verify` first", file=sys.stderr)
        return 1
    print(*pythons)
    return 0


if __name__ == "__main__":
    sys.exit(main())
