"""Run the planner of a public upgrade flow, unchanged, with ``syncbot mcp`` in the place of its oracle.

usage: python benchmarks/upgrade_flow.py FLOW --upstream REPO --backend DIR --range OLD..NEW [--range …]

FLOW is a checkout of main2main_flow. For each range: commits, how many the flow takes as analysed and as not
affecting the backend, its steps, and the seconds of the whole plan. Exits with 1 if a commit got no verdict.
Nothing of the flow is imported here: its planner runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_SHIM = """\
import os, sys
backend = sys.argv[sys.argv.index("--ascend-repo-path") + 1]
line = ["mcp", "--upstream", os.environ["FLOW_UPSTREAM"], "--backend", backend]
line += ["--flow-field", "ascend_affected"]
os.execv(sys.executable, [sys.executable, "-m", "syncbot", *line])
"""
_PLAN = """\
import json, sys
from pathlib import Path
from main2main_flow.scripts.utils.plan_steps import run_plan
upstream, old, new, oracle, backend = sys.argv[1:]
plan = run_plan(Path(upstream), old, new, Path(oracle), Path(backend))
for step in plan["steps"]:
    step.pop("upstream_patch")
print("PLAN" + json.dumps(plan))
"""


def main() -> int:
    """Plan each range, print what the flow's planner made of it, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flow", type=Path)
    parser.add_argument("--upstream", type=Path, required=True)
    parser.add_argument("--backend", type=Path, required=True)
    parser.add_argument("--range", dest="ranges", action="append", required=True)
    asked = parser.parse_args()
    unanswered = 0
    with tempfile.TemporaryDirectory() as folder:
        oracle = Path(folder)
        (oracle / "data").mkdir()
        (oracle / "src").mkdir()
        (oracle / "src/mcp_server_app.py").write_text(_SHIM)
        environment = os.environ | {
            "FLOW_UPSTREAM": str(asked.upstream.resolve()),
            "PYTHONPATH": str(asked.flow.resolve()),
        }
        for each in asked.ranges:
            old, _, new = each.partition("..")
            line = [asked.upstream, old, new, oracle, asked.backend.resolve()]
            begun = time.monotonic()
            done = subprocess.run(
                [sys.executable, "-c", _PLAN, *map(str, line)],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            seconds = time.monotonic() - begun
            said = re.search(r"impact: (\d+)/(\d+) analyzed, (\d+) marked", done.stdout)
            plan = json.loads(done.stdout.partition("PLAN")[2])
            counts = said.groups() if said else ("0", str(plan["total_commits"]), "0")
            unanswered += int(counts[1]) - int(counts[0])
            print(
                f"{old[:10]}..{new[:10]}: {counts[1]} commits, {counts[0]} analysed, "
                f"{counts[2]} not affecting, {len(plan['steps'])} steps, {seconds:.0f} s",
                flush=True,
            )
    return int(unanswered > 0)


if __name__ == "__main__":
    sys.exit(main())
