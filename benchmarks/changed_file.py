"""Cost of a check after one file of the plugin changed, beside another state of syncbot.

usage: python benchmarks/changed_file.py PLUGIN FILE UPSTREAM OLD NEW [--against COMMIT] [--rounds N]

A copy of the folder PLUGIN is checked against UPSTREAM from OLD to NEW three times: with an empty cache, with
one more function in FILE, and with another body of that function. States take turns, each compiled before as
what is installed is. Prints the seconds of processor of each, and whether both states report the same lines;
exit code 1 where they do not.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from ecosystem import ROOT, state_of

_ADDED = "\n\ndef _added(x: int) -> int:\n    return x + 1\n"
_STEPS = ("empty cache", "one function added", "its body changed")
Told = list[tuple[str, str, str]]


def check(state: Path, cache: Path, plugin: Path, span: tuple[str, str, str]) -> tuple[float, Told]:
    """Return the seconds of processor of one check, and the lines that it reports."""
    output = cache.parent / "report.json"
    upstream, old, new = span
    asked = ["--upstream", upstream, "--from", old, "--to", new, "--backend", str(plugin), "--format", "json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "syncbot", "check", *asked, "--fail-on", "never", "--output", output],
        env={**os.environ, "PYTHONPATH": str(state), "SYNCBOT_CACHE": str(cache)},
        cwd=cache.parent, stderr=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, told(json.loads(output.read_text(encoding="utf-8")))


def told(report: object) -> Told:
    """Return each line of the plugin with the kind and the verdict of its impact, sorted."""
    if isinstance(report, dict):
        here = [
            (f"{place['file']}:{place['line']}", str(report["kind"]), str(report["verdict"]))
            for place in (report.get("locations", ()) if "verdict" in report else ())
        ]
        return sorted([*here, *(line for value in report.values() for line in told(value))])
    return [line for value in report for line in told(value)] if isinstance(report, list) else []


def three(state: Path, plugin: Path, file: str, span: tuple[str, str, str]) -> tuple[list[float], list[Told]]:
    """Return the seconds and the lines of the three checks of a state."""
    with tempfile.TemporaryDirectory() as scratch:
        cache, copy = Path(scratch) / "cache", Path(scratch) / "plugin"
        shutil.copytree(plugin, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        changed = copy / file
        results = [check(state, cache, copy, span)]
        text = changed.read_text(encoding="utf-8")
        for added in (_ADDED, _ADDED.replace("x + 1", "x + 2")):
            changed.write_text(text + added, encoding="utf-8")
            results.append(check(state, cache, copy, span))
    return [seconds for seconds, _ in results], [lines for _, lines in results]


def main() -> int:
    """Run the checks and print their cost."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    for name in ("plugin", "file", "upstream", "old", "new"):
        parser.add_argument(name)
    parser.add_argument("--against", metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    asked = parser.parse_args()
    states = [state_of(commit, asked.build) for commit in ([asked.against] if asked.against else []) + [None]]
    for state in states:
        compileall.compile_dir(state.folder / "syncbot", quiet=1)
    span = (asked.upstream, asked.old, asked.new)
    seconds, lines = defaultdict[str, list[list[float]]](list), dict[str, list[Told]]()
    for _ in range(asked.rounds):
        for state in states:
            cost, lines[state.name] = three(state.folder, Path(asked.plugin), asked.file, span)
            seconds[state.name].append(cost)
    medians = {
        name: [statistics.median(each) for each in zip(*cost, strict=True)] for name, cost in seconds.items()
    }
    for name, cost in medians.items():
        print(
            f"{name}: " + ", ".join(f"{step} {each:.1f} s" for step, each in zip(_STEPS, cost, strict=True))
        )
    same = all(each == lines[states[0].name] for each in lines.values())
    print(f"the same {sum(map(len, lines[states[0].name]))} lines" if same else "the lines differ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
