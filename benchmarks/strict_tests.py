"""Tells which calls of a plugin's own tests the documents of the device's operators forbid.

usage: python benchmarks/strict_tests.py --release 0.30.0rc2 [--test PATH]... [--folder DIR]...

The tests of a release of ``[tool.syncbot.plugin]`` run twice, as published: on the simulated device, and on
it with ``TORCH_NPU_SIM_STRICT=1``. Tests that put mocks in the device's place where ``npu-smi`` fails find
one that ends well. Prints how many tests pass on both, and each sentence of a document by which tests pass
on the first device alone. ``--folder`` are further folders of tests. Nothing is recorded. The figure is of
``--test tests/ut``, and of the files right below ``--folder
tests/e2e/nightly/single_node/ops/singlecard_ops`` without ``test_fused_moe.py``: this one, and those below
``triton``, take hours on a processor.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from syncbot.cli.progress import meter as shown
from syncbot.interruption import ending_all
from syncbot.suites.differences import differences
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.suite.outcomes import SuiteOutcome
from syncbot.workflows.release_suites import release_run
from syncbot.workflows.suite_setup import suite_settings
from syncbot.workflows.verify_plugin import release_runs

_ROOT = Path(__file__).parents[1]
#: Leaves the simulated device out, for tests that make one of mocks.
_LEFT_OUT = "TORCH_DEVICE_BACKEND_AUTOLOAD"


def main() -> None:
    """Run the tests and print what documents forbid."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", required=True)
    parser.add_argument("--test", action="append", default=[])
    parser.add_argument("--folder", action="append", default=[])
    asked = parser.parse_args()
    # At the same place each time: a test's outcome is known by its environment.
    tool = cache_dir() / "strict_tests" / "npu-smi"
    tool.parent.mkdir(exist_ok=True)
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    seen = {"PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}"}
    plain, strict = (
        outcome(asked.release, seen | {"TORCH_NPU_SIM_STRICT": switch}, asked.folder, asked.test)
        for switch in "01"
    )
    forbidden = defaultdict[str, list[str]](list)
    for each in differences(plain, strict):
        forbidden[each.cause.first_line].append(each.node)
    both = plain.counts["pass"] - sum(map(len, forbidden.values()))
    print(f"{plain.counts} on the device, {strict.counts} strictly; {both:,} pass on both")
    for sentence, tests in sorted(forbidden.items(), key=lambda item: -len(item[1])):
        print(f"{len(tests):6}  {sentence}\n        {tests[0]}")


def outcome(
    version: str, environment: Mapping[str, str], folders: list[str], only: list[str]
) -> SuiteOutcome:
    """Return what becomes of the tests with these variables; only those below ``only``, if it names any."""
    runs, (release,) = release_runs(_ROOT, (version,))
    settings = suite_settings(runs.settings)
    told = {name: text for name, text in settings.environment.items() if name != _LEFT_OUT}
    settings = settings.model_copy(
        # The device does what ``prepare`` does where there is none.
        update={
            "environment": {**told, **environment},
            "folders": (*settings.folders, *folders),
            "prepare": "",
        }
    )
    with shown() as meter:
        return release_run(runs, release, settings, runs.setup(meter)).outcome(only, meter=meter)


if __name__ == "__main__":
    with ending_all():
        main()
