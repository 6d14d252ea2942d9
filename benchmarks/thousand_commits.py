"""What ``syncbot plan`` costs for a thousand commits, with an empty cache, and what a server costs after it.

usage: python benchmarks/thousand_commits.py --upstream REPO --backend DIR [--commits 1000] [--to REF]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

from measured import measured

from syncbot.server.answers import Answers
from syncbot.steps.model import Standing


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
        print(f"{asked.commits} commits, cold: {cost}", flush=True)
        os.environ["SYNCBOT_CACHE"] = cache
        answers = Answers(Path(asked.backend), asked.upstream)
        begun = time.perf_counter()
        judged = answers.range(*ends)
        print(f"the server, the range once more: {time.perf_counter() - begun:.1f} s", flush=True)
        slowest = max(_seconds(answers, each.commit.sha) for each in judged.commits)
    harmless = sum(each.standing is Standing.HARMLESS for each in judged.commits)
    print(f"a commit of it, the slowest of {len(judged.commits)}: {slowest:.3f} s")
    print(f"{harmless} of {len(judged.commits)} proven harmless")


def _seconds(answers: Answers, sha: str) -> float:
    begun = time.perf_counter()
    answers.commit(sha)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
