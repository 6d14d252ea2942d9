"""What ``syncbot plan`` costs for a thousand commits, with an empty cache; a server judges a range so too.

usage: python benchmarks/thousand_commits.py --upstream REPO --backend DIR [--commits 1000] [--to REF]
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile

from measured import measured


def main() -> None:
    """Measure once."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--backend", required=True)
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--to", default="HEAD")
    asked = parser.parse_args()
    ends = subprocess.run(
        ["git", "-C", asked.upstream, "rev-parse", f"{asked.to}~{asked.commits}", asked.to],
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        command = ["plan", "--from", ends[0], "--to", ends[1], "--upstream", asked.upstream]
        cost = measured([*command, "--backend", asked.backend], SYNCBOT_CACHE=cache)
    print(f"{asked.commits} commits, cold: {cost}")


if __name__ == "__main__":
    main()
