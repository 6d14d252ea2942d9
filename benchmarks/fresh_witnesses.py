"""Run witnesses over the upgrades of fresh plugins, and count what became of them: no labels are needed.

usage: python benchmarks/fresh_witnesses.py --python PYTHON --from VERSION --to VERSION
                                            [--prepare FILE] [--build DIR] [--results DIR]

All pairs of ``fresh-pairs.tsv`` whose upgrades begin with a release of the upstream in that span (PEP 440,
both ends taken in). PYTHON is an interpreter that has what such releases import; FILE has Python text that
runs first. A pair whose report exists is not run again. Prints a line for each impact that breaks and is not
witnessed, and the counts. A contradicted one is a defect of the analysis, or of the witness.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from ecosystem import ROOT, Pair, configuration_of, read_pairs
from packaging.version import InvalidVersion, Version
from plugin_files import laid_out

from syncbot.errors import SyncbotError

_HERE = Path(__file__).parent
_SHOWN = ("contract", "kind", "symbol")


def main() -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--from", dest="first", type=Version, required=True)
    parser.add_argument("--to", dest="last", type=Version, required=True)
    parser.add_argument("--prepare", type=Path)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "fresh-witnesses")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    outcomes: Counter[str] = Counter()
    pairs = [p for p in read_pairs(_HERE / "fresh-pairs.tsv") if _begins(p, options.first, options.last)]
    for pair in pairs:
        report = options.results / f"{pair.id}.json"
        if not report.exists():
            _check(pair, report, options)
        impacts = json.loads(report.read_text(encoding="utf-8"))["impacts"] if report.exists() else []
        for impact in impacts:
            testimony = impact["testimony"]
            if testimony is None:
                continue
            outcomes[testimony["outcome"]] += 1
            if testimony["outcome"] != "witnessed":
                said = (*(impact[key] for key in _SHOWN), testimony["outcome"], testimony["why"])
                print(pair.id, *said, sep=" | ", flush=True)
    print(f"{len(pairs)} upgrades, {sum(outcomes.values())} impacts that break:", dict(outcomes))
    return 0


def _begins(pair: Pair, first: Version, last: Version) -> bool:
    try:
        return pair.upstream == "vllm" and first <= Version(pair.old) <= last
    except InvalidVersion:
        return False


def _check(pair: Pair, report: Path, options: argparse.Namespace) -> None:
    """Write the report of one pair; where there is none, why."""
    try:
        plugin = laid_out(pair.plugin, pair.version, pair.sha256, options.build)
    except SyncbotError as error:
        print(pair.id, error, sep=" | ", flush=True)
        return
    prepare = options.prepare.read_text(encoding="utf-8") if options.prepare is not None else ""
    told = f"\n[witness]\npython = {json.dumps(str(options.python))}\nprepare = {json.dumps(prepare)}\n"
    configuration = report.with_suffix(".toml")
    configuration.write_text(configuration_of(pair) + told, encoding="utf-8")
    command: list[str | Path] = [
        *(sys.executable, "-m", "syncbot", "check", "--backend", plugin, "--config", configuration),
        *("--from", pair.old, "--to", pair.new, "--engine", "contracts", "--no-prose", "--witness"),
        *("--fail-on", "never", "--format", "json", "--output", report),
    ]
    environment = {**os.environ, "SYNCBOT_CACHE": str(options.build / "cache")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        print(pair.id, f"exit {done.returncode}: {last[0]}", sep=" | ", flush=True)


if __name__ == "__main__":
    sys.exit(main())
