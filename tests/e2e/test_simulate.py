"""The backend on the real vLLM of each lane, without an NPU: its tokens are those of transformers."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from syncbot import config as configuration
from syncbot.config import Config
from syncbot.lanes import matrix, update
from syncbot.lanes.generate import generate
from syncbot.lanes.matrix import Lane
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup
from syncbot.verify.simulate import Check, Outcome, PreparedRun, installed_aside, recall

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).parents[2]

Run = Callable[..., subprocess.CompletedProcess[str]]
#: The newest torch of which an index can be expected to have a CPU build: the plain build of those that came
#: after it needs the libraries of CUDA, several GB. The baseline's may be one of them.
CPU_TORCH = "2.13.0"
_ON_CPU = [
    lane for lane in matrix.load(REPOSITORY / "compat_matrix.yaml") if lane.stack["torch"] == CPU_TORCH
]
NEWEST = max(_ON_CPU, key=lambda lane: lane.version).tag
# Two of the lanes, and one of their checks: each lane costs an environment, each check half a minute.
LANES = ("v0.28.0", NEWEST)
ONLY = ("--check", "simulate-qwen3-v1")
QWEN3 = Check("qwen3", "v1")


class Bench:
    """A lane of the project, made ready to run."""

    def __init__(self, project: Path, tag: str) -> None:
        self.config: Config = configuration.load(project)
        inputs = update.inputs_of(self.config)
        self.lane: Lane = inputs.matrix.lane(tag)
        cache = cache_dir()
        self.workshop = SimulationSetup(
            self.config, simulation(self.config), Installer.of_this_machine(cache), cache
        )
        self.environment = self.workshop.environment(inputs.distribution, self.lane)
        made = generate(inputs, self.lane, project / self.config.lanes / tag)
        self.subject = self.workshop.subject(self.lane, made)

    @cached_property
    def prepared(self) -> PreparedRun:
        """Where checks are run, with the device that is compiled once for all of them."""
        return self.workshop.stand(self.subject, self.environment)

    def results(self, faults: tuple[str, ...], folder: Path) -> dict[str, Any]:
        """The results of the case qwen3 with each of the faults, by the fault."""
        site, work, output = folder / "site", folder / "work", folder / "result.json"
        work.mkdir()
        installed_aside(self.prepared, site, folder / "log")
        asked = [word for fault in faults for word in ("--control", fault)]
        done = subprocess.run(
            [self.environment.python, "-m", self.prepared.settings.check, *asked, "--output", output],
            env=self.prepared.variables(site, work), cwd=work, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 1, done.stdout + done.stderr
        return {each["control"]: each for each in json.loads(output.read_text(encoding="utf-8"))}

    def known(self, check: Check) -> Outcome | None:
        shop = self.workshop
        return recall(self.subject, check, self.environment.digest, shop.settings, shop.cache)


@pytest.fixture(scope="module")
def newest(project: Path) -> Bench:
    return Bench(project, NEWEST)


@pytest.fixture(scope="module")
def site(newest: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest lane, installed into a folder."""
    folder = tmp_path_factory.mktemp("aside")
    installed_aside(newest.prepared, folder / "site", folder / "log")
    return folder / "site"


@pytest.mark.parametrize("tag", LANES)
def test_qwen3_says_what_transformers_says_and_is_known_then(tag: str, project: Path, syncbot: Run) -> None:
    done = syncbot("verify", *ONLY, "--force", "--lane", tag)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{tag}  simulate-qwen3-v1  pass" in done.stdout.splitlines()

    bench = Bench(project, tag)
    assert bench.lane.shown("simulate-qwen3-v1") == "pass"
    # What it executed is as it stands now.
    stale = syncbot("matrix", "--stale").stdout.splitlines()
    assert not [line for line in stale if line.split()[:2] == [tag, "simulate-qwen3-v1"]]

    outcome = bench.known(QWEN3)
    assert outcome is not None
    result: Any = outcome.result
    assert result["vllm"].partition("+")[0] == str(bench.lane.version)
    assert result["torch"].partition("+")[0] == bench.lane.stack["torch"]
    assert result["transformers"] == bench.lane.stack["transformers"]
    assert result["answer"] == result["reference"]
    assert len(result["answer"]) >= 4
    assert all(len(tokens) == 12 for tokens in result["answer"])
    # Torch's own operators did not stand in for the device's.
    for operator in ("npu_fused_infer_attention_score", "npu_add_rms_norm", "npu_swiglu", "npu_rotary_mul"):
        assert result["operators"][operator] > 0

    again = syncbot("verify", *ONLY, "--lane", tag)
    assert again.returncode == 0
    assert again.stdout.splitlines() == [f"{tag}  simulate-qwen3-v1  pass (known)"]


def test_both_lanes_come_from_one_source(project: Path) -> None:
    older, newer = (Bench(project, tag) for tag in LANES)
    assert older.subject.sources != newer.subject.sources
    assert older.environment.folder != newer.environment.folder


FAULTS = ("scale", "keyword", "reference", "missing", "slot")


@pytest.fixture(scope="module")
def faulty(newest: Bench, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of qwen3 with each of the faults, in runs that share one import of upstream."""
    return newest.results(FAULTS, tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("scale", "differ from the reference"),
        ("keyword", "keyword argument 'eps' for operator 'npu::npu_rms_norm'"),
        ("reference", "no reference implementation of npu_gemma_rms_norm"),
        ("missing", "has no operator npu_scatter_pa_kv_cache; torch_npu 2.10.0 is the first release"),
        ("slot", "npu_scatter_pa_kv_cache: slot_mapping repeats "),
    ],
)
def test_a_fault_is_named(faulty: dict[str, Any], fault: str, why: str) -> None:
    assert why in faulty[fault]["failure"]


def test_a_wrong_answer_is_told_beside_the_right_one(faulty: dict[str, Any]) -> None:
    result = faulty["scale"]
    assert len(result["answer"]) == len(result["reference"])
    assert result["answer"] != result["reference"]
    assert result["took_effect"]["scale"] > 0


#: Runs pytest of this environment with the packages of the lane's: its own come first.
_PYTEST = "import sys; sys.path.append(sys.argv.pop(1)); import pytest; sys.exit(pytest.main(sys.argv[1:]))"


@pytest.mark.parametrize(
    "folder",
    ["tests/backend/lane", "tests/simulator/device", "tests/simulator/loaded", "tests/simulator/operators"],
)
def test_the_tests_that_need_torch_pass_in_the_lane(newest: Bench, folder: str, site: Path) -> None:
    """Operators, references and graphs against independent formulas, the device; whole engines are run above."""
    tests = [folder, "-p", "no:cacheprovider"]
    packages = str(Path(pytest.__file__).parents[1])
    done = subprocess.run(
        [str(newest.environment.python), "-c", _PYTEST, packages, *tests],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join([str(site), str(REPOSITORY)]), "PYTHONDONTWRITEBYTECODE": "1"}
        # Threads that wait for small tensors cost more than they bring.
        | {"OMP_NUM_THREADS": "1"}
        | {name: str(wheel) for name, wheel in newest.subject.wheels.items()}
        | dict(newest.prepared.made_once),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b[1-9][0-9]+ passed", done.stdout)
    assert "skipped" not in done.stdout
