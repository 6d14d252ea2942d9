"""Checks as tasks of a real Ray cluster on this machine, one of whose nodes is lost on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from ray._private.utils import publish_error_to_driver
from ray._raylet import GcsClient
from ray.cluster_utils import Cluster

from syncbot.lanes import matrix as matrices
from tests.verify.plugin_project import HANGS_ONCE, plugin_project

pytestmark = pytest.mark.machine

# The first run hangs, wherever it is; the case "odd" is never right.
CHECK = f"""
import json, os, sys, time
from pathlib import Path
import tiny
from tinybackend import _lane

arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
with open(os.environ["COUNTER"], "a") as counter:
    counter.write(f"{{arguments['--case']}} {{arguments['--runner']}} {{os.environ['NODE']}}\\n")
hung = Path(os.environ["COUNTER"]).with_name("hung")
{HANGS_ONCE}
Path(arguments["--output"]).write_text(json.dumps({{}}))
if arguments["--case"] == "odd":
    sys.exit("token 3 is 7, not 9")
"""
ROOM = 8 << 30


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of two nodes, each with a cache of its own, and a head that takes no work."""
    # Nodes have the variables of their beginning.
    monkeypatch.setenv("COUNTER", str(tmp_path / "runs"))
    monkeypatch.setenv("TINY_NOTES", str(tmp_path / "notes"))
    small = {"include_dashboard": False, "object_store_memory": 80 << 20}
    head = {**small, "num_cpus": 0, "memory": 1 << 20}
    nodes = Cluster(initialize_head=True, head_node_args=head)
    for name in ("one", "two"):
        own = {"SYNCBOT_CACHE": str(tmp_path / name), "NODE": name}
        nodes.add_node(wait=False, num_cpus=1, memory=ROOM, env_vars=own, **small)
    nodes.wait_for_nodes()
    yield nodes.address
    nodes.shutdown()


def start(
    root: Path, *options: str, command: str = "verify", executor: str = "ray", **variables: str
) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "syncbot", command, "--backend", str(root), "--executor", executor]
    return subprocess.Popen(
        [*words, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env=os.environ | variables,
    )


def wait_for(process: subprocess.Popen[str], hung: Path) -> None:
    while not (hung.exists() and hung.read_text()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def kill_the_node(process: subprocess.Popen[str], hung: Path) -> None:
    """A machine that is lost takes all of its processes with it, from Ray's own to the check's."""
    wait_for(process, hung)
    for each in hung.read_text().split():
        with suppress(ProcessLookupError):
            os.kill(int(each), signal.SIGKILL)


def test_nothing_is_lost_with_a_node(root: Path, cluster: str, tmp_path: Path) -> None:
    project = root / "pyproject.toml"
    cases = 'cases = { small = ["v1", "v2"], odd = ["v1"], even = ["v1"] }'
    project.write_text(project.read_text().replace('cases = { small = ["v1", "v2"] }', cases))
    (root / "backend" / "src" / "tinybackend" / "check.py").write_text(CHECK)
    hung = tmp_path / "hung"
    with start(root, "--simulate", RAY_ADDRESS=cluster) as process:
        # Ray repeats what befalls nodes, some of it only as it ends.
        wait_for(process, hung)
        for _ in range(2):
            publish_error_to_driver("node", "a disk is full", GcsClient(address=cluster))
        kill_the_node(process, hung)
        stdout, stderr = process.communicate()
    assert process.returncode == 1, stderr
    assert stderr.count("a disk is full") == 2
    names = ["even-v1", "odd-v1", "small-v1", "small-v2"]
    passes = {f"v1.5  simulate-{name}  pass" for name in names if name != "odd-v1"}
    lines = stdout.splitlines()
    assert len(lines) == len(names), stdout
    (failed,) = set(lines) - passes
    assert failed.startswith("v1.5  simulate-odd-v1  fail  token 3 is 7, not 9  (log: ")
    # Logs come home, for nobody looks for them on a node.
    log = Path(failed.partition("(log: ")[2].rstrip(")"))
    assert log.is_relative_to(tmp_path / "cache")
    assert "--case odd" in log.read_text()

    runs = [line.split() for line in (tmp_path / "runs").read_text().splitlines()]
    (again,) = (
        each for each, times in Counter((case, runner) for case, runner, _ in runs).items() if times == 2
    )
    assert {node for case, runner, node in runs if (case, runner) == again} == {"one", "two"}
    assert len(runs) == len(names) + 1
    lane = matrices.load(root / "compat_matrix.yaml").lane("v1.5")
    assert sorted(lane.checks) == [f"simulate-{name}" for name in names]

    # What passed there is known here, and asks for no cluster.
    done = start(root, "--check=simulate-small-v1")
    assert done.communicate() == ("v1.5  simulate-small-v1  pass (known)\n", "")


def test_the_grid_of_a_plugin_is_on_a_cluster_as_here_though_a_node_is_lost(
    tmp_path: Path,
    server: str,
    index: Path,
    notes: Path,
    cluster: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    project = plugin_project(tmp_path / "project", server, tmp_path / "web", index)
    matrix, runs, hung = project / "plugin_matrix.yaml", tmp_path / "runs", tmp_path / "hung"
    here = start(project, command="verify-plugin", executor="local")
    assert (here.communicate()[1], here.returncode) == ("", 1)
    of_here, done_here = matrix.read_bytes(), sorted(line[:-5] for line in runs.read_text().splitlines())
    runs.unlink()
    # The date of what says the same again stands, so that the same matrix is the same bytes.
    elsewhere = {"RAY_ADDRESS": cluster, "SYNCBOT_CACHE": str(tmp_path / "cache-of-the-grid")}
    with start(project, command="verify-plugin", **elsewhere) as process:
        kill_the_node(process, hung)
        stdout, stderr = process.communicate()
    assert process.returncode == 1, stderr
    assert len(stdout.splitlines()) == 8, stdout
    assert matrix.read_bytes() == of_here
    done = [line.rpartition(" ")[::2] for line in runs.read_text().splitlines()]
    assert {node for _, node in done} == {"one", "two"}
    (again,) = (each for each, times in Counter(check for check, _ in done).items() if times == 2)
    assert sorted({check for check, _ in done}) == done_here
    assert {node for check, node in done if check == again} == {"one", "two"}

    # What passed on a node is known here; what did not runs again, and is what it was.
    runs.unlink()
    back = start(project, command="verify-plugin", **elsewhere)
    stdout, stderr = back.communicate()
    assert stdout.count("  pass (known)") == 5
    assert len(runs.read_text().splitlines()) == 3
    assert matrix.read_bytes() == of_here


def test_a_cluster_without_room_is_exit_code_3(root: Path, tmp_path: Path) -> None:
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "memory": 1 << 30})
    try:
        process = start(root, "--simulate", RAY_ADDRESS=nodes.address)
        stdout, stderr = process.communicate()
    finally:
        nodes.shutdown()
    assert (process.returncode, stdout) == (3, "")
    assert stderr.startswith(
        "syncbot: no node of the Ray cluster offers 4096 MiB of memory, the largest 1024 MiB"
    )


def test_without_a_cluster_one_line_says_how_to_start_one(root: Path) -> None:
    process = start(root, "--simulate", RAY_ADDRESS="127.0.0.1:9")
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout, stderr.count("\n")) == (3, "", 1)
    assert stderr.startswith("syncbot: no Ray cluster answers at 127.0.0.1:9 (")
    assert "`ray start --head`" in stderr


def test_without_ray_one_line_says_what_to_install(root: Path, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "ray.py").write_text('raise ImportError("No module named ray")\n')
    path = os.pathsep.join([str(tmp_path / "without"), os.environ.get("PYTHONPATH", "")])
    process = start(root, "--simulate", PYTHONPATH=path)
    line = "syncbot: Ray is not installed: run `pip install 'ray>=2.50'`, or leave out --executor ray\n"
    assert (*process.communicate(), process.returncode) == ("", line, 3)


def test_how_many_lanes_at_a_time_is_up_to_the_cluster(root: Path) -> None:
    process = start(root, "--simulate", "--jobs", "2")
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout, stderr.count("\n")) == (2, "", 1)
    assert "leave out --jobs" in stderr
