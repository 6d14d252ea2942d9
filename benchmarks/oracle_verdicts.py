"""Hold ``syncbot plan`` and the verdicts of a public oracle against the causes that adaptations name.

usage: python benchmarks/oracle_verdicts.py RANGES --oracle REPO --upstream REPO --backend-repository REPO
                                            --work DIR [--only ID]...

RANGES is as for truth.py, with ``backend_commit``, the adaptation. A cause is a commit of the range whose
pull request the message of the adaptation names; a message also names some that needed no change. ORACLE is
a clone of vllm-report: of each commit its newest verdict counts, with all its history. Only commits that
have one are compared. Prints a line for each range, the sums, and each cause that one of both did not flag.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from planned_ranges import parser, planned_ranges

from syncbot.steps.model import JudgedCommit, Standing
from syncbot.workflows.steps import judge_range

FLAGGED = (Standing.BREAKS, Standing.AT_RISK, Standing.DRIFT)


def verdicts(oracle: Path) -> dict[str, bool]:
    """Whether the oracle says that a commit affects the backend, by sha; the newest verdict of each."""
    log = ["log", "--reverse", "--format=", "--raw", "--no-abbrev", "--", "data/vllm/analysis/*.json"]
    lines = (line.split() for line in _git(oracle, *log).splitlines())
    found: dict[str, bool] = {}
    for blob in dict.fromkeys(line[3] for line in lines if line and line[4] != "D"):
        for each in json.loads(_git(oracle, "cat-file", "blob", blob)).get("commits", ()):
            affected = (each.get("ascend_impact") or {}).get("ascend_affected")
            if isinstance(affected, bool):
                found[each["sha"]] = affected
    return found


def causes(message: str, judged: Iterator[JudgedCommit]) -> set[str]:
    """The commits whose pull request a message names."""
    named = set(re.findall(r"(?:pull/|#)(\d+)\b", message))
    return {each.commit.sha for each in judged if (pr := _pull_request(each)) and pr in named}


def _pull_request(judged: JudgedCommit) -> str:
    told = re.findall(r"\(#(\d+)\)", judged.commit.subject)
    return str(told[-1]) if told else ""


def compared(
    commits: tuple[JudgedCommit, ...], guilty: set[str], said: Mapping[str, bool]
) -> Iterator[tuple[str, str]]:
    """The counts of a range, one by one: what is counted, and the commit."""
    for each in commits:
        sha = each.commit.sha
        cause = "cause " if sha in guilty else ""
        if cause and sha not in said:
            yield "cause the oracle has no verdict", sha
        if sha not in said:
            continue
        yield f"{cause}commits", sha
        if said[sha]:
            yield f"{cause}oracle flags", sha
        if each.standing in FLAGGED:
            yield f"{cause}plan flags", sha
        elif each.standing is Standing.UNSAID:
            yield f"{cause}plan cannot say", sha


def _git(repository: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", repository, *words], check=True, capture_output=True, text=True
    ).stdout


def main() -> None:
    """Compare, range by range."""
    asking = parser(__doc__)
    asking.add_argument("--oracle", type=Path, required=True)
    asked = asking.parse_args()
    said = verdicts(asked.oracle)
    sums: Counter[str] = Counter()
    for each in planned_ranges(asked):
        begun = time.process_time()
        commits = judge_range(each.options).commits
        message = _git(asked.backend_repository, "show", "-s", "--format=%B", each.record["backend_commit"])
        guilty = causes(message, iter(commits))
        counted = list(compared(commits, guilty, said))
        counts = Counter(what for what, _ in counted)
        print(f"{each.id} {dict(counts)} {time.process_time() - begun:.0f} s", flush=True)
        for judged in (c for c in commits if c.commit.sha in guilty):
            commit = judged.commit
            oracle = {True: "flagged", False: "not flagged", None: "unknown"}[said.get(commit.sha)]
            print(f"  {oracle:<11} {judged.standing:<8} {commit.sha[:10]} {commit.subject}", flush=True)
        sums += counts
    for what, count in sorted(sums.items()):
        print(f"{what}: {count}")


if __name__ == "__main__":
    main()
