"""Measures the site of a long range: the analysis once, then building the site from its report.

usage: python benchmarks/site.py PROJECT UPSTREAM SINCE UNTIL [BACKEND]

PROJECT is a folder with patches and a matrix, UPSTREAM a git repository, SINCE..UNTIL the period, such as a
year; BACKEND is whose sources are analysed, if not PROJECT's. The cache is the usual one (SYNCBOT_CACHE).
Seconds are those of the clock and, since other programs run beside, of the processor; memory is the largest
resident size of both together.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

from measured import measured


def main() -> None:
    """Measure what the command line names."""
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    project, upstream, since, until, *backend = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        report, site = Path(folder) / "report.json", Path(folder) / "site"
        period = ["--upstream", upstream, "--since", since, "--until", until]
        check = ["check", "--backend", *(backend or [project]), *period, "--engine", "contracts"]
        analysis = measured([*check, "--format", "json", "--fail-on", "never", "--output", str(report)])
        print(f"analysis: {analysis}, {report.stat().st_size // 1000} kB of JSON")
        build = ["site", "--backend", project, "--reports", str(report), "--output", str(site)]
        print(f"site: {measured(build)}")
        print(f"again: {measured(build)}")
        files = {path.relative_to(site): path.stat().st_size for path in site.rglob("*") if path.is_file()}
        largest = max(files, key=files.__getitem__)
        print(f"{len(files)} files, {sum(files.values()) // 1000} kB")
        print(f"largest file: {largest}, {files[largest]} B")
        print(f"largest memory: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB")


if __name__ == "__main__":
    main()
