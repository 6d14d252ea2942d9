"""How near a generated lane comes to the maintainers' own adaptation: their newer release's tests on it.

usage: python benchmarks/newer_tests.py --overlay overlays/vllm-ascend-0.26 --lane v0.27.1 --release 0.27.1rc1

The tests of the newer release run twice beside the same upstream: on that release (its evidence is read: run
``syncbot verify-plugin --tests --release VERSION`` before), and on the lane, whose packages take the place of
the release's. What prepares tests (``conftest.py``) is the lane's own, since the newer one may import what
the newer release added to itself; tests that do so are counted apart. Nothing is recorded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from syncbot.cli.progress import meter as shown
from syncbot.config import OverlaySettings
from syncbot.interruption import ending_all
from syncbot.lanes import backend_files
from syncbot.lanes.generate import generate
from syncbot.overlay.sources import published
from syncbot.suites.differences import differences, grouped
from syncbot.upstream.archive import every_member
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup
from syncbot.verify.release_files import open_index
from syncbot.verify.suite.outcomes import FileOutcome, SuiteOutcome, SuiteTest
from syncbot.verify.suite.run import Suite
from syncbot.verify.unbuilt_wheel import read_whole
from syncbot.workflows.lane_inputs import lane_inputs
from syncbot.workflows.suite_setup import suite_run, suite_settings

_PLUGIN_EVIDENCE = Path("evidence/plugin")


def main() -> None:
    """Run the tests and print what passes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--overlay", type=Path, required=True)
    parser.add_argument("--lane", required=True)
    parser.add_argument("--release", required=True)
    asked = parser.parse_args()
    config, inputs = lane_inputs(asked.overlay)
    if config.overlay is None:
        sys.exit(f"{asked.overlay} is no overlay")
    lane = inputs.matrix.lane(asked.lane)
    made = generate(inputs, lane, config.root / config.lanes / lane.tag)
    packages = tuple(name.removeprefix("src/") for name in config.sources)
    files = {
        path: text
        for path, text in _published(config.index, config.overlay, asked.release).items()
        if path.partition("/")[0] not in packages
    }
    written = {path: text.encode() for path, text in config.overlay.written.items()}
    ours = {
        path: text
        for path, text in _lane(made.folder, config.backend_path).items()
        if path.partition("/")[0] in packages or path.endswith("/conftest.py")
    }
    settings = simulation(config)
    with shown() as meter:
        setup = SimulationSetup(
            config, settings, Installer.of_this_machine(cache_dir(), settings.inherit), cache_dir(), meter
        )
        suite = Suite(suite_settings(settings), files | ours | written, packages)
        ready = suite_run(setup, lambda: setup.subject(lane, made), inputs.distribution, lane, suite)
        after = ready.outcome(meter=meter)
    before = _kept(asked.release)
    found = differences(before, after)
    newer = [each for each in found if _of_the_newer(each.cause.first_line, packages)]
    passing = before.counts["pass"]
    kept, able = passing - len(found), passing - len(newer)
    print(f"{passing:,} tests pass on {asked.release}; {len(newer):,} of them import what it added to itself")
    print(f"{kept:,} of the other {able:,} pass on {lane.tag} ({kept / able:.1%})")
    groups = grouped(found, set(packages), suite.settings.folders)
    for group in sorted(groups, key=lambda each: -len(each.differences)):
        print(f"{len(group.differences):6}  {group.message}  ({group.where})")


def _of_the_newer(message: str, packages: Sequence[str]) -> bool:
    """Whether an import failed for what the package does not have itself."""
    asked = re.search(r"(?:No module named|cannot import name '\w+' from|module) '([\w.]+)'", message)
    return asked is not None and asked[1].partition(".")[0] in packages


def _published(index_url: str | None, settings: OverlaySettings, version: str) -> dict[str, bytes]:
    found = published(index_url, settings.distribution, version, cache_dir())
    with closing(open_index(index_url)) as index:
        archive = index.download(found, cache_dir())
    return dict(every_member(archive, found.filename))


def _lane(folder: Path, package: Path) -> dict[str, bytes]:
    return read_whole(package) | backend_files.below(folder)


def _kept(release: str) -> SuiteOutcome:
    """Return the outcome of the release's tests, from the evidence."""
    (file,) = _PLUGIN_EVIDENCE.glob(f"tests-v{release}-*.jsonl.gz")
    rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    tests: dict[str, list[SuiteTest]] = {}
    for row in rows:
        if isinstance(row, list):
            test = SuiteTest(row[0], row[1])
            tests.setdefault(test.file, []).append(test)
    return SuiteOutcome(rows[0]["digest"], {file: FileOutcome(tuple(each)) for file, each in tests.items()})


if __name__ == "__main__":
    with ending_all():
        main()
