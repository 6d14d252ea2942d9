"""Run witnesses over breaks that really happened, and count what became of them.

usage: python benchmarks/witnesses.py TRUTH --upstream REPO --backend-repository REPO --results DIR
                                      --python PYTHON [--prepare FILE] [--only ID]...

TRUTH is as benchmarks/truth.py reads it. PYTHON is an interpreter that has what the upstream of those ranges
imports; FILE has Python text that runs first. A range whose report exists is not run again. Prints a line for
each impact that breaks and is not witnessed, and the counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from truth import Range, check_out, read_ranges

from syncbot.upstream.git_repository import GitRepository

_SHOWN = ("id", "kind", "contract", "symbol")
_RUN = "import sys; from syncbot.cli import main; sys.exit(main())"


def main() -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--upstream", type=Path, required=True)
    parser.add_argument("--backend-repository", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--prepare", type=Path)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    ranges = [r for r in read_ranges(options.truth) if not options.only or r.id in options.only]
    outcomes: Counter[str] = Counter()
    seconds = 0.0
    for item in ranges:
        report = options.results / f"{item.id}.json"
        if not report.exists():
            _check(item, report, options)
        for impact in json.loads(report.read_text())["impacts"]:
            testimony = impact["testimony"]
            if testimony is None:
                continue
            outcomes[testimony["outcome"]] += 1
            seconds += testimony["seconds"]
            if testimony["outcome"] != "witnessed":
                said = (*(impact[key] for key in _SHOWN), testimony["outcome"], testimony["why"])
                print(item.id, *said, sep=" | ", flush=True)
    print(f"{len(ranges)} ranges, {sum(outcomes.values())} impacts that break:", dict(outcomes))
    print(f"{seconds / max(1, sum(outcomes.values())):.2f} s an impact for both runs, imports not counted")
    return 0


def _check(item: Range, report: Path, options: argparse.Namespace) -> None:
    backend = options.results / "checkouts" / item.id
    with GitRepository(options.backend_repository) as repository:
        check_out(repository, item.backend_parent, backend)
    prepare = options.prepare.read_text() if options.prepare is not None else ""
    settings = backend / "pyproject.toml"
    if "[tool.syncbot.witness]" not in settings.read_text():
        values = {"python": str(options.python), "prepare": prepare}
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in values.items()]
        settings.write_text(settings.read_text() + "\n[tool.syncbot.witness]\n" + "".join(lines))
    began = time.monotonic()
    command = [
        sys.executable,
        "-c",
        _RUN,
        "check",
        "--witness",
        "--engine",
        "contracts",
        "--fail-on",
        "never",
    ]
    command += ["--from", item.upstream_old, "--to", item.upstream_new, "--backend", str(backend)]
    command += ["--upstream", str(options.upstream.absolute()), "--format", "json", "--output", str(report)]
    subprocess.run(command, check=True)
    print(f"{item.id}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
