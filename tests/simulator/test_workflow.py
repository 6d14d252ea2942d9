"""The workflow for other repositories: valid, told in the README as it is, and what the script tries."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / "docs/workflows/simulated-npu.yml").read_text(encoding="utf-8"))
JOB = WORKFLOW["jobs"]["simulated-npu"]
README = (ROOT / "simulator/README.md").read_text(encoding="utf-8")
SCRIPT = [sys.executable, str(ROOT / ".ci/simulated_npu_in_ci.py")]


def commands() -> list[str]:
    return [step["run"] for step in JOB["steps"] if "run" in step]


def test_the_readme_has_the_commands_of_the_workflow() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", README, re.S)
    assert [step["run"] for step in yaml.safe_load(block)] == commands()
    assert len(commands()) == 5


def test_limits_stand_first() -> None:
    head = (ROOT / "docs/workflows/simulated-npu.yml").read_text(encoding="utf-8").partition("\nname:")[0]
    for limit in ("numerics of kernels", "speed", "HCCL", "races between streams"):
        assert limit in head.replace("\n# ", " ")


def test_variables_are_those_that_the_simulator_reads() -> None:
    told = set(re.findall(r"^\| `(\w+)`", README, re.M))
    ours = {name for name in JOB["env"] if name.startswith("TORCH_NPU_SIM")}
    assert ours
    assert ours <= told
    read = "\n".join(path.read_text() for path in (ROOT / "simulator/vllm/src").rglob("*.py"))
    assert "VLLM_NPU_CASES_PLUGIN" in JOB["env"]
    assert '"VLLM_NPU_CASES_PLUGIN"' in read


def test_the_script_tries_these_commands_and_no_others() -> None:
    done = subprocess.run([*SCRIPT, "--list"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == commands()


def test_the_script_says_what_is_missing(tmp_path: Path) -> None:
    given = ["--simulator", str(tmp_path)]
    done = subprocess.run([*SCRIPT, *given], capture_output=True, text=True, check=False, env=os.environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(
        f"error: {tmp_path} has no wheel of torch-npu-sim: run make simulator-wheel\n"
    )
    done = subprocess.run(
        [*SCRIPT, *given, "--plugin", "vllm-ascend"], capture_output=True, text=True, check=False
    )
    assert "error: name one version of the plugin, such as vllm-ascend==0.30.0rc2" in done.stderr
