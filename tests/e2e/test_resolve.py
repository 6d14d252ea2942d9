"""Each wheel of the project beside the vLLM that was published: their real metadata decide, uv resolves.

uv reads the metadata of a wheel alone, with ranges where an index does not serve it beside the wheel; pip would
download wheels of several hundred MB. Nothing is installed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.version import Version

from syncbot.lanes import matrix
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.installer import Installer

pytestmark = pytest.mark.machine

LANES = ("v0.31.0", "v0.28.0", "v0.20.2")
ARM, X86 = "aarch64-manylinux_2_35", "x86_64-manylinux_2_35"

Resolve = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def dist(
    syncbot: Callable[..., subprocess.CompletedProcess[str]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """An index with the wheels of all these lanes."""
    folder = tmp_path_factory.mktemp("dist")
    done = syncbot("build", *(f"--lane={tag}" for tag in LANES), "--output", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def resolve(dist: Path) -> Resolve:
    """Resolves requirements for a Python 3.11 of a platform, with this machine's indexes and that of the wheels."""
    installer = Installer.of_this_machine(cache_dir())
    # Whoever overrides requirements of vLLM, or prefers a build of torch, must not decide here.
    environment = {
        name: value
        for name, value in installer.environment.items()
        if name not in ("UV_OVERRIDE", "UV_CONSTRAINT", "UV_TORCH_BACKEND")
    }
    indexes = environment.get("UV_EXTRA_INDEX_URL", "").split()
    # An index of this machine may know a name and lack the files for another platform.
    environment["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    environment["UV_EXTRA_INDEX_URL"] = " ".join([*indexes, (dist / "simple").as_uri()])

    def run(platform: str, *requirements: str) -> subprocess.CompletedProcess[str]:
        options = ["--no-header", "--no-annotate", "--python-version", "3.11", "--python-platform", platform]
        return subprocess.run(
            [installer.uv, "pip", "compile", "-", *options],
            input="\n".join(requirements), capture_output=True, text=True, check=False, env=environment, cwd=dist,
        )  # fmt: skip

    return run


# The wheels of torch_npu for x86_64 demand the CPU build of a torch before 2.12, which only torch's own index has.
@pytest.mark.parametrize(("tag", "platform"), [(tag, ARM) for tag in LANES] + [("v0.28.0", X86)])
def test_a_published_upstream_gets_its_own_wheel(
    project: Path, resolve: Resolve, tag: str, platform: str
) -> None:
    lane = matrix.load(project / "compat_matrix.yaml").lane(tag)
    done = resolve(platform, "ascend-backend", f"vllm=={lane.version}")
    assert done.returncode == 0, done.stderr
    chosen = dict(line.split("==") for line in done.stdout.splitlines())
    assert (chosen["ascend-backend"], chosen["vllm"]) == (lane.wheel, str(lane.version))
    assert Version(chosen["torch"]).public == lane.stack["torch"]
    assert chosen["torch-npu"] == lane.stack["torch_npu"]


def test_the_wheel_of_another_upstream_is_refused(resolve: Resolve) -> None:
    done = resolve(ARM, "ascend-backend==0.28.0.*", "vllm==0.31.0")
    assert done.returncode == 1
    assert "vllm==0.28.0" in done.stderr
    assert "unsatisfiable" in done.stderr
