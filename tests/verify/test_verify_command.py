"""The command on a small backend, whose upstream lies on a package index of this machine."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from syncbot.lanes import matrix as matrices
from tests.forked_command import command

pytestmark = pytest.mark.machine


def verify(
    root: Path, *options: str, kind: str = "--simulate", **variables: str
) -> subprocess.CompletedProcess[str]:
    return command("verify", kind, "--backend", str(root), *options, **variables)


def test_each_check_runs_once_and_leaves_evidence(root: Path, tmp_path: Path) -> None:
    done = verify(root)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["v1.5  simulate-small-v1  pass", "v1.5  simulate-small-v2  pass"]
    runs = (tmp_path / "runs").read_text().splitlines()
    assert runs == ["v1 1.5 1.5+empty 2", "v2 1.5 1.5+empty 2"]
    lane = matrices.load(root / "compat_matrix.yaml").lane("v1.5")
    evidence = lane.checks["simulate-small-v2"]
    assert evidence.command == "python -m tinybackend.check --case small --runner v2"
    assert evidence.digest is not None
    assert lane.shown("simulate-small-v2") == "pass"


def test_one_check_alone(root: Path, tmp_path: Path) -> None:
    done = verify(root, kind="--check=simulate-small-v2")
    assert (done.returncode, done.stdout) == (0, "v1.5  simulate-small-v2  pass\n")
    assert (tmp_path / "runs").read_text().splitlines() == ["v2 1.5 1.5+empty 2"]
    done = verify(root, "--check=simulate-small-v2", kind="--check=static")
    assert done.stdout.splitlines() == ["v1.5  static  pass", "v1.5  simulate-small-v2  pass (known)"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--check=x"], "there is no check 'x'; the nearest is 'static'"),
        (["--check=static", "--simulate"], "--check names the checks: leave out --static and --simulate"),
    ],
)
def test_a_check_that_cannot_be_meant_is_exit_code_2(root: Path, options: list[str], message: str) -> None:
    kind, *rest = options
    done = verify(root, *rest, kind=kind)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"syncbot: {message}\n")


def test_a_check_that_no_lane_has_is_exit_code_2(root: Path, tmp_path: Path) -> None:
    file = root / "compat_matrix.yaml"
    matrix = matrices.load(file)
    lane = matrix.lane("v1.5").model_copy(update={"simulate": {"small": ("v1",)}})
    matrices.save(matrix.model_copy(update={"lanes": (lane,)}), file)
    done = verify(root, kind="--check=simulate-small-v2")
    said = "syncbot: simulate-small-v2: no check of v1.5; `syncbot matrix` shows the checks of each\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
    assert verify(root, "--check=static", kind="--check=simulate-small-v2").returncode == 0


def test_an_unchanged_lane_is_not_run_again_unless_forced(root: Path, tmp_path: Path) -> None:
    verify(root)
    before = (root / "compat_matrix.yaml").read_text()
    done = verify(root)
    assert done.returncode == 0
    assert "v1.5  simulate-small-v1  pass (known)" in done.stdout.splitlines()
    assert (tmp_path / "runs").read_text().count("\n") == 2
    verify(root, "--force")
    assert (tmp_path / "runs").read_text().count("\n") == 4
    # The same said of the same sources changes no file that is under version control.
    assert (root / "compat_matrix.yaml").read_text() == before


def test_changed_sources_are_run_again(root: Path, tmp_path: Path) -> None:
    verify(root)
    check = root / "backend" / "src" / "tinybackend" / "check.py"
    text = check.read_text()
    check.write_text(text + "# a comment\n")
    assert verify(root, "--lane", "1.5").stdout.count("(known)") == 2
    check.write_text(text + "changed = True\n")
    done = verify(root, "--lane", "1.5")
    assert "(known)" not in done.stdout
    assert (tmp_path / "runs").read_text().count("\n") == 4


def test_only_what_is_stale_runs_without_a_memory(root: Path, tmp_path: Path) -> None:
    verify(root, kind="--check=simulate-small-v1")
    # As on another machine, which has the matrix alone.
    shutil.rmtree(tmp_path / "cache" / "simulations")
    done = verify(root, "--stale")
    assert (done.returncode, done.stdout) == (0, "v1.5  simulate-small-v2  pass\n")
    done = verify(root, "--budget", "60m", "--shard", "1/3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "runs").read_text().count("\n") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--budget=1m", "--jobs=2"], "--budget is for one check after another: leave out --jobs and --lock"),
        (["--stale", "--force"], "--force runs what is current: leave out --stale and --budget"),
        (["--shard=3/2"], "'3/2' is no part of the lanes: write 2/6 for the second of six"),
    ],
)
def test_options_of_a_renewal_that_cannot_be_meant(root: Path, options: list[str], message: str) -> None:
    done = verify(root, *options)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"syncbot: {message}\n")


def test_a_check_that_reaches_a_limit_is_unknown_and_takes_no_place(root: Path, tmp_path: Path) -> None:
    verify(root)
    before = (root / "compat_matrix.yaml").read_text()
    file = root / "pyproject.toml"
    table = "[tool.syncbot.simulate]\n"
    assert table in file.read_text()
    file.write_text(file.read_text().replace(table, f"{table}idle = 2.0\n"))
    done = verify(root, "--force", SLEEPS="v2")
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first == "v1.5  simulate-small-v1  pass"
    assert second.startswith("v1.5  simulate-small-v2  unknown  used no processor time for 2 s  (log: ")
    assert (root / "compat_matrix.yaml").read_text() == before


def test_a_failed_check_is_exit_code_1_with_its_reason(root: Path) -> None:
    done = verify(root, BREAKS="v2")
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first == "v1.5  simulate-small-v1  pass"
    assert second.startswith(
        "v1.5  simulate-small-v2  fail  TypeError: an unexpected keyword argument 'spec'  (log: "
    )
    lane = matrices.load(root / "compat_matrix.yaml").lane("v1.5")
    assert lane.shown("simulate-small-v2") == "fail"
    assert lane.checks["simulate-small-v2"].details == "TypeError: an unexpected keyword argument 'spec'"


def test_contracts_that_upstream_keeps_pass(root: Path, tmp_path: Path) -> None:
    done = verify(root, kind="--static")
    assert (done.returncode, done.stdout) == (0, "v1.5  static  pass\n")
    assert matrices.load(root / "compat_matrix.yaml").lane("v1.5").shown("static") == "pass"
    # Nothing was installed and nothing was run for it.
    assert not (tmp_path / "cache" / "environments").exists()
    assert not (tmp_path / "runs").exists()


def test_contracts_that_upstream_does_not_keep_fail_with_their_lines(root: Path) -> None:
    names = [f"missing_{number}" for number in range(5)]
    user = root / "backend" / "src" / "tinybackend" / "user.py"
    user.write_text("".join(f"from tiny import {name}\n" for name in names))
    done = verify(root, kind="--static")
    assert done.returncode == 1
    first, *problems = done.stdout.splitlines()
    assert first == "v1.5  static  fail"
    for number, name in enumerate(names, start=1):
        assert any(f"src/tinybackend/user.py:{number}: " in line and name in line for line in problems)
    details = matrices.load(root / "compat_matrix.yaml").lane("v1.5").checks["static"].details
    assert details is not None
    assert re.search(r"user\.py:1: .*; and \d+ more$", details)


def test_a_run_has_what_its_row_says_in_place_of_the_stack_and_the_wheel_the_stack(
    root: Path, tmp_path: Path
) -> None:
    file = root / "compat_matrix.yaml"
    file.write_text(file.read_text() + "    simulated_with: {tinydep: '1'}\n")
    assert verify(root).returncode == 0
    # What the run notes last is the version of tinydep that it imported.
    assert [line.split()[-1] for line in (tmp_path / "runs").read_text().splitlines()] == ["1", "1"]
    assert (
        'dependencies = ["tiny==1.5", "tinydep==2"]' in (root / "build/lanes/v1.5/pyproject.toml").read_text()
    )
    lane = matrices.load(file).lane("v1.5")
    assert lane.checks["simulate-small-v1"].simulated_with == {"tinydep": "1"}
    assert lane.shown("simulate-small-v1") == "pass"
    verify(root, kind="--static")
    assert matrices.load(file).lane("v1.5").checks["static"].simulated_with is None


def test_a_stack_that_nobody_offers_is_exit_code_3(root: Path) -> None:
    file = root / "compat_matrix.yaml"
    file.write_text(file.read_text().replace("tinydep: '2'", "tinydep: '8'"))
    done = verify(root)
    assert done.returncode == 3
    assert re.fullmatch(r"syncbot: cannot install .*tinydep==8.*\n", done.stderr)
    assert matrices.load(file).lane("v1.5").checks == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tinydata: '3'", "tinydata: '4'", r"cannot download the wheel of tinydata 4: .*"),
        (">=3.11", ">=3.99", r"lane v1\.5 needs Python >=3\.99, but syncbot runs on 3\..*"),
    ],
)
def test_a_lane_that_cannot_be_set_up_is_exit_code_3(root: Path, old: str, new: str, message: str) -> None:
    file = root / "compat_matrix.yaml"
    file.write_text(file.read_text().replace(old, new))
    done = verify(root)
    assert done.returncode == 3
    assert re.fullmatch(f"syncbot: {message}\n", done.stderr)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"tinydep", "tinytool"', '"tinydep", "tinytools"', r"lane v1\.5 pins no version of tinytools: .*"),
        ("[tool.syncbot.simulate]", "[tool.other]", r"there is no \[tool\.syncbot\.simulate\]: .*"),
    ],
)
def test_wrong_configuration_is_exit_code_2(root: Path, old: str, new: str, message: str) -> None:
    file = root / "pyproject.toml"
    file.write_text(file.read_text().replace(old, new))
    done = verify(root)
    assert done.returncode == 2
    assert re.fullmatch(f"syncbot: {message}\n", done.stderr)


def test_an_unknown_lane_is_exit_code_2_and_lists_the_known(root: Path) -> None:
    done = verify(root, "--lane", "v9.9")
    assert done.returncode == 2
    assert "v9.9" in done.stderr
    assert "v1.5" in done.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_its_engine_and_keeps_what_it_found(
    root: Path, tmp_path: Path, how: signal.Signals
) -> None:
    verify(root)
    before = (root / "compat_matrix.yaml").read_text()
    started = tmp_path / "started"
    command = [sys.executable, "-m", "syncbot", "verify", "--simulate", "--force", "--backend", str(root)]
    with subprocess.Popen(
        command,
        env=os.environ | {"HANGS": str(started)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not (started.exists() and started.read_text()):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(how)
        _, stderr = process.communicate()
    assert (process.returncode, stderr.strip()) == (130, "syncbot: interrupted")
    assert not Path("/proc", started.read_text()).exists()
    assert (root / "compat_matrix.yaml").read_text() == before


def test_what_upstream_refuses_on_a_lane_is_not_run(root: Path) -> None:
    file = root / "compat_matrix.yaml"
    file.write_text(file.read_text() + "    unsupported: {small: [v1]}\n")
    done = verify(root)
    assert (done.returncode, done.stderr) == (0, "")
    lane = matrices.load(file).lane("v1.5")
    assert "simulate-small-v2" in lane.checks
    assert "simulate-small-v1" not in lane.checks


def test_a_lane_may_leave_runs_out_and_require_more(
    root: Path, index: Path, offer: Callable[..., Path]
) -> None:
    offer(index, "tinyextra", "1", {"tinyextra.py": ""})
    file = root / "compat_matrix.yaml"
    row = "    requires: [tinyextra==1]\n    simulate: {small: [v2]}\n"
    file.write_text(file.read_text() + row)
    done = verify(root)
    assert (done.returncode, done.stderr) == (0, "")
    assert (root.parent / "runs").read_text().splitlines() == ["v2 1.5 1.5+empty 2"]
    lane = matrices.load(file).lane("v1.5")
    assert list(lane.checks) == ["simulate-small-v2"]
    assert lane.requires == ("tinyextra==1",)
    environment = next((root.parent / "cache" / "environments").glob("tiny-1.5-*/environment.json"))
    assert "tinyextra==1" in environment.read_text()
