"""The cost of a server that judges a thousand commits with an empty cache, of one commit, and of a plan.

usage: python benchmarks/thousand_commits.py --upstream REPO --backend DIR [--commits N] [--to REF] [--plan]
"""

from __future__ import annotations

import argparse
import os
import resource
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
    parser.add_argument("--plan", action="store_true", help="a whole plan as well, patches tried")
    asked = parser.parse_args()
    ends = subprocess.run(
        ["git", "-C", asked.upstream, "rev-parse", f"{asked.to}~{asked.commits}", asked.to],
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SYNCBOT_CACHE"] = cache
        answers = Answers(Path(asked.backend), asked.upstream)
        clock, processor = time.perf_counter(), _processor()
        judged = answers.range(*ends)
        clock, processor = time.perf_counter() - clock, _processor() - processor
        cost = f"{clock:.1f} s ({processor:.1f} s of processor)"
        print(f"{len(judged.commits)} commits, cold, the server: {cost}", flush=True)
        slowest = max(_seconds(answers, each.commit.sha) for each in judged.commits)
    if asked.plan:
        with tempfile.TemporaryDirectory() as cache:
            command = ["plan", "--from", ends[0], "--to", ends[1], "--upstream", asked.upstream]
            cost = measured([*command, "--backend", asked.backend], SYNCBOT_CACHE=cache)
            print(f"{len(judged.commits)} commits, cold, a plan with its patches: {cost}", flush=True)
    harmless = sum(each.standing is Standing.HARMLESS for each in judged.commits)
    print(f"a commit of it, the slowest of {len(judged.commits)}: {slowest:.3f} s")
    print(f"{harmless} of {len(judged.commits)} proven harmless")


def _processor() -> float:
    """Seconds of this process and of those that it has waited for."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _seconds(answers: Answers, sha: str) -> float:
    begun = time.perf_counter()
    answers.commit(sha)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
