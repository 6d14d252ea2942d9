"""Hold the commits that ``syncbot plan`` proves harmless against breaks that really happened.

usage: python benchmarks/harmless.py TRUTH --upstream REPO --backend-repository REPO --work DIR [--only ID]...

TRUTH is as for truth.py; ``breaks`` of a range have the ``sha`` of the guilty commit. Prints a line for each
range, the sum, and every break whose commit was called harmless.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from planned_ranges import parser, planned_ranges

from syncbot.steps.model import JudgedCommit, Standing
from syncbot.workflows.steps import judge_range


@dataclass(frozen=True, slots=True)
class Count:
    """One range: its commits, how many are proven harmless, the known breaks, those among the harmless."""

    commits: int
    harmless: int
    breaks: int
    wrong: tuple[str, ...]


def count(judged: Sequence[JudgedCommit], guilty: dict[str, str]) -> Count:
    """The counts of a range; ``guilty`` is what is known of a commit, by its sha."""
    harmless = {each.commit.sha for each in judged if each.standing is Standing.HARMLESS}
    known = guilty.keys() & {each.commit.sha for each in judged}
    return Count(
        len(judged), len(harmless), len(known), tuple(guilty[sha] for sha in sorted(known & harmless))
    )


def main() -> None:
    """Count, range by range."""
    found: list[Count] = []
    for each in planned_ranges(parser(__doc__).parse_args()):
        guilty = {
            b["sha"]: f"{b['sha'][:10]} {b['kind']} (static: {b['static']})"
            for b in each.record["breaks"]
            if b.get("sha")
        }
        begun = time.process_time()
        counted = count(judge_range(each.options).commits, guilty)
        found.append(counted)
        seconds = time.process_time() - begun
        print(f"{each.id} {counted.commits} {counted.harmless} {counted.breaks} {seconds:.0f} s", flush=True)
        for line in counted.wrong:
            print(f"  WRONG {line}", flush=True)
    commits, harmless = sum(c.commits for c in found), sum(c.harmless for c in found)
    print(f"{len(found)} ranges: {harmless} of {commits} commits proven harmless ({harmless / commits:.1%});")
    wrong = sum(len(c.wrong) for c in found)
    print(f"{wrong} of {sum(c.breaks for c in found)} known breaks stand in one of them")


if __name__ == "__main__":
    main()
