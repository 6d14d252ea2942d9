"""The cost of renewing evidence: seconds of processor of one run of ``syncbot verify``, all its processes
counted, those of each case of it, and an estimate for the whole matrix.

``python benchmarks/renewal_cost.py --lane v0.33.0 --check simulate-qwen3-v1 --check simulate-lora-v1``

The checks run with ``--force``. ``--runs`` says how many simulated runs the matrix claims.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from syncbot.sealed_values import recall
from syncbot.upstream.cache_folder import cache_dir

_SUBREAPER = 36  # of prctl(2)


def ran(command: list[str]) -> tuple[float, float, int]:
    """Run a command; return the seconds of processor of it and all that it started, those on the clock, and
    its exit code."""
    # What loses its parent becomes ours, and is counted when it ends.
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    begun, before = time.monotonic(), os.times()
    code = subprocess.run(command, check=False).returncode
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, time.monotonic() - begun, code


def of_cases(lane: str, since: float) -> dict[str, float]:
    """The seconds of processor of each check of a lane that passed since, without the imports."""
    found = {}
    for file in sorted((cache_dir() / "simulations").glob(f"{lane}-*.json")):
        kept = recall(cache_dir(), file) if file.stat().st_mtime >= since else None
        seconds = json.loads(kept)["result"].get("processor_seconds") if kept is not None else None
        if seconds is not None:
            found[file.stem.removeprefix(f"{lane}-").rpartition("-")[0]] = float(seconds)
    return found


def main() -> int:
    """Print the figures as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--lane", required=True)
    parser.add_argument("--check", action="append", required=True)
    parser.add_argument("--runs", type=int)
    given = parser.parse_args()
    since = time.time()
    checks = [f"--check={name}" for name in given.check]
    command = [
        str(Path(sys.executable).with_name("syncbot")),
        "verify",
        "--lane",
        given.lane,
        "--force",
        *checks,
    ]
    used, clock, code = ran(command)
    cases = of_cases(given.lane, since)
    print("| check | seconds of processor |\n|---|---|")
    for name, seconds in sorted(cases.items(), key=lambda each: -each[1]):
        print(f"| `{name}` | {seconds:.1f} |")
    shared = used - sum(cases.values())
    print(
        f"\n{len(cases)} of {len(checks)} passed: {used:.0f} s of processor, {clock:.0f} s on the clock; "
        f"{shared:.0f} s of it for what they share"
    )
    if given.runs and cases:
        hours = given.runs * used / len(cases) / 3600
        print(f"{given.runs} runs at {used / len(cases):.1f} s: {hours:.1f} h of processor")
    return code


if __name__ == "__main__":
    sys.exit(main())
