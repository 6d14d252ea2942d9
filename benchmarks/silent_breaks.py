"""Put silent breaks into a lane and say what the comparison with the lane as it is tells of them.

usage: python benchmarks/silent_breaks.py [--lane TAG] [--check NAME]

Each fault leaves the tokens as they are: an override under a name that upstream does not call, so that an
operator never runs; a layer that is no longer registered; blocks of another size, so that shapes change; an
option of an operator. What each changes is written in ``FAULTS``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from syncbot.config import Config
from syncbot.lanes.backend_files import below, digest
from syncbot.lanes.generate import Generated, Inputs, generate
from syncbot.lanes.matrix import Lane
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.configured_checks import simulation, simulations
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup
from syncbot.verify.recording.differences import differences
from syncbot.verify.recording.recorded_run import Recording, recorded
from syncbot.verify.simulate import PreparedRun
from syncbot.workflows.lane_inputs import lane_inputs


@dataclass(frozen=True, slots=True)
class Fault:
    """A text of a file of the lane, and what stands there instead."""

    name: str
    file: str
    before: str
    after: str


FAULTS = (
    Fault(
        "an override that upstream does not call, and an operator that never runs",
        "src/ascend_backend/layers/activation.py",
        "def forward_oot(",
        "def forward_ascend(",
    ),
    Fault(
        "a layer that is not registered",
        "src/ascend_backend/layers/rotary_embedding.py",
        '@CustomOp.register_oot(name="RotaryEmbedding")\n',
        "",
    ),
    Fault(
        "blocks of another size",
        "src/ascend_backend/attention/paged.py",
        "return [128, 256, 384, 512]",
        "return [256, 384, 512]",
    ),
    Fault(
        "an operator's option",
        "src/ascend_backend/layers/layernorm.py",
        "x, residual, self.weight.data, self.variance_epsilon)",
        "x, residual, self.weight.data, self.variance_epsilon * 1.01)",
    ),
)


def main() -> int:
    """Print the differences that each fault makes; the exit code is 1 where one makes none."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--lane", default="v0.32.0")
    parser.add_argument("--check", default="simulate-qwen3-v1")
    given = parser.parse_args()
    config, inputs = lane_inputs(Path())
    lane = inputs.matrix.lane(given.lane)
    made = generate(inputs, lane, config.root / config.lanes / lane.tag)
    sound = run(config, inputs, lane, made, given.check)
    silent = False
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            broken = seeded(made, fault, Path(folder) / "lane")
            found = run(config, inputs, lane, broken, given.check)
        told = [str(each) for each in differences(sound, found)]
        print(f"{fault.name}: {found.failure or 'the check passes'}, {len(told)} differences")
        print("".join(f"  {line}\n" for line in told), end="", flush=True)
        silent |= not told
    return int(silent)


def seeded(made: Generated, fault: Fault, folder: Path) -> Generated:
    """The lane's sources with the fault in them."""
    shutil.copytree(made.folder, folder)
    file = folder / fault.file
    text = file.read_text(encoding="utf-8")
    assert fault.before in text, f"{fault.file} has no {fault.before!r}"
    file.write_text(text.replace(fault.before, fault.after), encoding="utf-8")
    return replace(made, folder=folder, digest=digest(below(folder)))


def run(config: Config, inputs: Inputs, lane: Lane, made: Generated, check: str) -> Recording:
    """Return a recording of the check of a lane's sources."""
    settings, cache = simulation(config), cache_dir()
    installer = Installer.of_this_machine(cache, settings.inherit)
    setup = SimulationSetup(config, settings, installer, cache)
    environment = setup.environment(inputs.distribution, lane)
    stand = PreparedRun(setup.subject(lane, made), environment, settings, installer, cache)
    assert inputs.package is not None
    upstream = config.upstreams[inputs.matrix.upstream].packages
    return recorded(stand, simulations(config)[check], upstream, [inputs.package])


if __name__ == "__main__":
    sys.exit(main())
