"""The answers of ``syncbot triage`` to errors that users of plugins pasted into public trackers.

usage: python benchmarks/user_reports.py --upstream REPO --work DIR [--before 100] [--after 50]

The reports are those of tests/triage/user_reports.json. The range is of so many commits of upstream before
and after the guilty one; for reports that are not upstream's fault, the one of the newest guilty commit. The
backend is empty: nothing but the text of the report and upstream's trees is known. Prints each report with
the commit that is suspected first and the verdict, and the counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path

from syncbot.triage.diagnosis import Diagnosis
from syncbot.triage.verdicts import verdict
from syncbot.workflows.triage import TriageOptions, triage_logs

REPORTS = Path(__file__).parents[1] / "tests/triage/user_reports.json"
PROJECT = '[project]\nname = "plugin"\nversion = "1"\n'


def main() -> None:
    """Triage each report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--before", type=int, default=100)
    parser.add_argument("--after", type=int, default=50)
    asked = parser.parse_args()
    reports = json.loads(REPORTS.read_text(encoding="utf-8"))
    line = subprocess.run(
        ["git", "-C", asked.upstream, "log", "--first-parent", "--format=%H %s", "main"],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    shas = [each.split(" ", 1)[0] for each in line]
    places = {pr: n for n, each in enumerate(line) for pr in [each.rpartition("(#")[2].rstrip(")")]}
    newest = min(places[str(each["pr"])] for each in reports if "pr" in each)
    backend = asked.work / "plugin"
    (backend / "plugin").mkdir(parents=True, exist_ok=True)
    (backend / "plugin/__init__.py").write_text("import vllm\n", encoding="utf-8")
    (backend / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    right = {"upstream": [], "other": []}  # type: dict[str, list[bool]]
    begun = time.process_time()
    for report in reports:
        place = places[str(report["pr"])] if "pr" in report else newest
        log = asked.work / "report.log"
        log.write_text(report["log"] + "\n", encoding="utf-8")
        options = TriageOptions(
            logs=[str(log)], backend=backend, upstream=asked.upstream,
            old=shas[place + asked.before], new=shas[max(place - asked.after, 0)],
        )  # fmt: skip
        triaged = triage_logs(options)
        (found,) = triaged.diagnoses
        fine = _first(found) == report.get("pr")
        right["upstream" if "pr" in report else "other"].append(fine)
        told = verdict(triaged, found).line
        print(f"{'' if fine else 'WRONG '}{report['url']}: {_first(found)}; {told}", flush=True)
    for side, each in right.items():
        print(f"{side}: {sum(each)} of {len(each)}")
    print(f"{time.process_time() - begun:.0f} s of processor")


def _first(found: Diagnosis) -> int | None:
    return found.guilty[0].commit.pr if found.guilty else None


if __name__ == "__main__":
    main()
