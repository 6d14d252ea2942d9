"""Tries docs/workflows/simulated-npu.yml on this machine: its commands, one after another, in an empty
environment, with a published plugin's source distribution as the checkout.

``python .ci/simulated_npu_in_ci.py --plugin vllm-ascend==0.30.0rc2 --simulator dist``

A variable of the workflow that the caller has set keeps the caller's value: ``PIP_EXTRA_INDEX_URL=`` stays
with the index that pip is told to use.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement

from syncbot.errors import SyncbotError
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.release_files import open_index, published_source

WORKFLOW = Path(__file__).parents[1] / "docs" / "workflows" / "simulated-npu.yml"
_JOB = "simulated-npu"


def commands() -> list[str]:
    """The commands of the workflow, in their order."""
    return [step["run"].strip() for step in _job()["steps"] if "run" in step]


def variables(simulator: Path, caller: Mapping[str, str]) -> dict[str, str]:
    """The variables of the workflow, those that the caller has with the caller's values."""
    own = {name: str(value) for name, value in _job()["env"].items()} | {"SIMULATOR": str(simulator)}
    return own | {name: caller[name] for name in own if name in caller and name != "SIMULATOR"}


def unpacked(plugin: Requirement, folder: Path) -> Path:
    """The plugin's source distribution, unpacked below ``folder``. Raises SyncbotError."""
    (version,) = (each.version for each in plugin.specifier)
    with closing(open_index(None)) as index:
        source = published_source(plugin.name, version, index, cache_dir())
        shutil.unpack_archive(index.download(source, cache_dir()), folder, "gztar", filter="data")
    (top,) = folder.iterdir()
    return top


def main() -> int:
    """Do what is asked for; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--plugin", type=Requirement, default=Requirement("vllm-ascend==0.30.0rc2"))
    parser.add_argument(
        "--simulator", type=Path, default=Path("dist"), help="folder of the simulator's wheels"
    )
    parser.add_argument("--list", action="store_true", help="print the commands, and run none")
    given = parser.parse_args()
    if given.list:
        print("\n".join(commands()))
        return 0
    if [each.operator for each in given.plugin.specifier] != ["=="]:
        parser.error("name one version of the plugin, such as vllm-ascend==0.30.0rc2")
    for name in ("torch-npu-sim", "torch-npu-sim-vllm"):
        if not list(given.simulator.glob(f"{name.replace('-', '_')}-*.whl")):
            parser.error(f"{given.simulator} has no wheel of {name}: run make simulator-wheel")
    try:
        return try_on(given.plugin, given.simulator)
    except SyncbotError as error:
        parser.exit(3, f"{parser.prog}: {error}\n")


def try_on(plugin: Requirement, simulator: Path) -> int:
    """Run the commands until one fails; returns its exit code. Raises SyncbotError."""
    with tempfile.TemporaryDirectory(prefix="simulated-npu-") as folder:
        environment, home = Path(folder, "environment"), Path(folder, "caches")
        home.mkdir()
        venv.create(environment, with_pip=True)
        checkout = unpacked(plugin, Path(folder, "checkout"))
        path = os.pathsep.join([str(environment / "bin"), os.environ["PATH"]])
        # Nothing that an earlier run left in the user's caches, but for pip's downloads.
        downloads = os.environ.get("PIP_CACHE_DIR") or str(Path.home() / ".cache" / "pip")
        told = {
            "PATH": path,
            "XDG_CACHE_HOME": str(home),
            "PIP_CACHE_DIR": downloads,
            "PIP_PROGRESS_BAR": "off",
        }
        for command in commands():
            print(f"$ {command}", flush=True)
            began = time.monotonic()
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command],
                cwd=checkout,
                env=os.environ | variables(simulator.resolve(), os.environ) | told,
                check=False,
            )
            print(f"  exit code {done.returncode}, {time.monotonic() - began:.0f} s", flush=True)
            if done.returncode != 0:
                return done.returncode
    return 0


def _job() -> Any:
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"][_JOB]


if __name__ == "__main__":
    sys.exit(main())
