"""The answers of ``syncbot triage`` to failures that were labelled before it was run on them.

usage: python benchmarks/tracker_cases.py --upstream REPO --plugin REPO --work DIR [--only PATTERN]

The cases are those of tests/triage/tracker_cases.json. Each names the range, the plugin's commit, and the
answer: ``upstream`` and ``too-old`` with the pull request, ``not-upstream`` with a word that the first line
must have, ``nobody`` where it is enough that no commit is named. The whole plugin is looked at, as it was.
Prints each case with the first line and the seconds of processor, and the counts.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import resource
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[1] / "tests/triage/tracker_cases.json"


def main() -> None:
    """Triage each case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    right: dict[str, list[bool]] = {}
    for case in json.loads(CASES.read_text(encoding="utf-8")):
        if not re.search(asked.only, case["url"]):
            continue
        backend = _checked_out(asked.plugin, case["plugin"], asked.work)
        log = asked.work / "report.log"
        log.write_text(case["log"] + "\n", encoding="utf-8")
        begun = _seconds()
        done = subprocess.run(
            [sys.executable, "-m", "syncbot", "triage", str(log), "--backend", str(backend),
             "--format", "json", "--upstream", asked.upstream, "--from", case["from"], "--to", case["to"]],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        took = _seconds() - begun
        found = json.loads(done.stdout) if done.stdout else {}
        fine = _is_right(case, found, done.returncode)
        right.setdefault(case["answer"], []).append(fine)
        told = found.get("verdict", {}).get("line") or done.stderr.strip()[-300:]
        print(f"{'      ' if fine else 'WRONG '}{case['url']} ({took:.0f} s): {told}", flush=True)
    for answer, each in right.items():
        print(f"{answer}: {sum(each)} of {len(each)}")


def _is_right(case: dict[str, Any], found: dict[str, Any], code: int) -> bool:
    causes = found.get("causes", [])
    named = [guilty["pr"] for cause in causes for guilty in cause["guilty"]]
    answer = found.get("verdict", {}).get("answer", "")
    if case["answer"] in ("upstream", "too-old"):
        first = [cause["guilty"][0]["pr"] for cause in causes if cause["guilty"]][:1]
        place = next((cause["place"] for cause in causes if cause["guilty"]), None)
        there = not case["place"] or (place is not None and place["file"] == case["place"])
        return first == [case["pr"]] and answer == case["answer"] and there and code == 1
    says = case["says"].lower() in found.get("verdict", {}).get("line", "").lower()
    return not named and code == 1 and (case["answer"] == "nobody" or (answer == "not-upstream" and says))


def _checked_out(repository: str, commit: str, work: Path) -> Path:
    """The plugin's sources at a commit."""
    folder = work / commit[:10]
    if not folder.exists():
        packed = subprocess.run(
            ["git", "-C", repository, "archive", commit], check=True, capture_output=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
    return folder


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
