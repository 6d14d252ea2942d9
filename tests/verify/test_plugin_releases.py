"""The command on a small plugin, whose releases lie on a package index of this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from syncbot.lanes import plugin_matrix
from tests.forked_command import command
from tests.installed_wheels import PYTEST, installed_wheel
from tests.verify.plugin_project import plugin_project

pytestmark = pytest.mark.machine

ALL = [
    "v1.1  simulate-even-v1  pass",
    "v1.1  simulate-even-v2  pass",
    "v1.1  simulate-odd-v1  fail  token 3 is 7, not 9  (log: LOG)",
    "v1.1  simulate-refused-v1  unsupported  the plugin knows no such case  (log: LOG)",
    "v1.0  simulate-even-v1  pass",
    "v1.0  simulate-even-v2  pass",
    "v1.0  simulate-odd-v1  pass",
    "v1.0  simulate-refused-v1  unsupported  the plugin knows no such case  (log: LOG)",
]


@pytest.fixture
def project(tmp_path: Path, server: str, index: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COUNTER", str(tmp_path / "runs"))
    return plugin_project(tmp_path / "project", server, tmp_path / "web", index)


def start(project: Path, *options: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "syncbot", "verify-plugin", "--backend", str(project), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env=os.environ | variables,
    )


def verify(project: Path, *options: str, **variables: str) -> tuple[int | None, list[str], str]:
    """The exit code, the lines with their logs left out, and the standard error."""
    done = command("verify-plugin", "--backend", str(project), *options, **variables)
    lines = [
        line.partition("(log: ")[0] + ("(log: LOG)" * ("(log: " in line)) for line in done.stdout.splitlines()
    ]
    return done.returncode, lines, done.stderr


def runs(tmp_path: Path) -> list[str]:
    file = tmp_path / "runs"
    return file.read_text().splitlines() if file.exists() else []


def test_every_release_runs_as_published_and_what_passed_is_known(project: Path, tmp_path: Path) -> None:
    assert verify(project) == (1, ALL, "")
    matrix = plugin_matrix.load(project / "plugin_matrix.yaml")
    shown = {each.tag: [each.shown(check) for check in sorted(each.checks)] for each in matrix.releases}
    assert shown == {
        "v1.1": ["pass", "pass", "fail", "unsupported"],
        "v1.0": ["pass", "pass", "pass", "unsupported"],
    }
    assert matrix.release("1.1").sources != matrix.release("v1.0").sources
    assert [line.rpartition(" ")[0] for line in runs(tmp_path)] == [
        f"{version} {case}"
        for version in ("1.1", "1.0")
        for case in ("even v1", "even v2", "odd v1", "refused v1")
    ]
    before = (project / "plugin_matrix.yaml").read_bytes()
    (tmp_path / "runs").unlink()
    code, lines, _ = verify(project)
    assert (code, sorted(line for line in lines if "known" in line)) == (
        1,
        sorted(f"{line} (known)" for line in ALL if line.endswith("pass")),
    )
    # What did not pass runs again, and says the same.
    assert [line.split()[1] for line in runs(tmp_path)] == ["odd", "refused", "refused"]
    assert (project / "plugin_matrix.yaml").read_bytes() == before


def test_faults_are_put_into_what_passes_and_one_that_nobody_notices_fails(project: Path) -> None:
    asked = ("--release", "1.1", "--faults")
    assert verify(project, *asked) == (0, [], "")
    verify(project, "--release", "1.1")
    slot = "  slot: took effect 3 times, noticed: token 0 is 1, not 2"
    # What fails or is refused without a fault shows nothing.
    assert verify(project, *asked) == (
        1,
        [
            "v1.1  faults-even-v1  pass",
            slot,
            "v1.1  faults-even-v2  fail  scale took effect 5 times, and nobody noticed  (log: LOG)",
            slot,
            "  scale: took effect 5 times, not noticed",
            "  sum: took effect 1 times, blind: it rounds",
        ],
        "",
    )
    release = plugin_matrix.load(project / "plugin_matrix.yaml").release("1.1")
    assert release.checks["simulate-even-v2"].status == "pass"
    faults = release.checks["faults-even-v2"].faults or {}
    assert {name: fault.took_effect for name, fault in faults.items()} == {"slot": 3, "scale": 5, "sum": 1}
    assert faults["sum"].blind == "it rounds"
    assert verify(project, *asked, "--check", "faults-even-v1")[1] == [
        "v1.1  faults-even-v1  pass (known)",
        slot,
    ]
    assert verify(project, *asked, "--check", "simulate-even-v1")[0] == 2


def test_the_tests_of_a_release_run_as_published(project: Path, index: Path) -> None:
    for name in PYTEST:
        file, content = installed_wheel(name)
        (index / file).write_bytes(content)
    code, lines, _ = verify(project, "--tests")
    assert (code, lines) == (
        1,
        [
            "v1.1  tests  fail  0 of 1 tests pass, 1 fail",
            "  fail  tests/test_version.py::test_version  AssertionError: assert '1.1' == '1.0'",
            "v1.0  tests  pass  1 of 1 tests pass",
        ],
    )
    release = plugin_matrix.load(project / "plugin_matrix.yaml").release("1.0")
    suite = release.checks["tests"].suite
    assert suite is not None
    assert (suite.counts, suite.differences, release.shown("tests")) == ({"pass": 1}, None, "pass")
    assert (project / "evidence" / "plugin" / suite.file).is_file()
    assert verify(project, "--tests", "--release", "1.0")[1] == [
        "v1.0  tests  pass (1 of 1 files known)  1 of 1 tests pass"
    ]
    assert verify(project, "--tests", "--faults")[0] == 2


def test_what_changes_beside_runs_again_and_what_is_forced(project: Path) -> None:
    asked = ("--release", "1.0", "--check", "simulate-even-v1")
    assert verify(project, *asked)[1] == ["v1.0  simulate-even-v1  pass"]
    assert verify(project, *asked)[1] == ["v1.0  simulate-even-v1  pass (known)"]
    check = project / "cases" / "src" / "tinycases" / "check.py"
    check.write_text(check.read_text() + "CHANGED = True\n")
    # It does not say that it executed this.
    assert verify(project, *asked)[1] == ["v1.0  simulate-even-v1  pass (known)"]
    even = project / "cases/src/tinycases/references/even.py"
    even.write_text("# changed\n")
    assert verify(project, *asked)[1] == ["v1.0  simulate-even-v1  pass (known)"]
    even.write_text("CHANGED = True\n")
    assert verify(project, *asked)[1] == ["v1.0  simulate-even-v1  pass"]
    assert verify(project, "--force", *asked, *asked[:2])[1] == ["v1.0  simulate-even-v1  pass"]


def test_a_change_runs_again_what_executed_it(project: Path, tmp_path: Path) -> None:
    verify(project, "--release", "1.0")
    (tmp_path / "runs").unlink()
    (project / "cases/src/tinycases/references/odd.py").write_text("CHANGED = True\n")
    matrix = plugin_matrix.load(project / "plugin_matrix.yaml").release("1.0")
    assert matrix.checks["simulate-odd-v1"].executed == {"tinycases/references/odd.py": ()}
    lines = verify(project, "--release", "1.0")[1]
    assert [line for line in lines if "known" in line] == [
        "v1.0  simulate-even-v1  pass (known)",
        "v1.0  simulate-even-v2  pass (known)",
    ]
    # What was refused runs each time.
    assert [line.split()[1] for line in runs(tmp_path)] == ["odd", "refused"]
    matrix = plugin_matrix.load(project / "plugin_matrix.yaml").release("1.0")
    assert {matrix.shown(check) for check in matrix.checks} == {"pass", "unsupported"}


def test_what_is_stale_is_renewed_with_its_faults_and_nothing_else_runs(
    project: Path, tmp_path: Path
) -> None:
    assert verify(project, "--stale")[1] == ALL
    verify(project, "--release", "1.0", "--faults", "--check", "faults-odd-v1")
    assert verify(project, "--stale") == (0, [], "")
    assert verify(project, "--budget", "60m") == (0, [], "")
    (project / "cases/src/tinycases/references/odd.py").write_text("CHANGED = True\n")
    lines = [line.split()[:2] for line in verify(project, "--stale")[1]]
    assert [line for line in lines if len(line) > 1 and line[0].startswith("v")] == [
        ["v1.1", "simulate-odd-v1"],
        ["v1.0", "simulate-odd-v1"],
        ["v1.0", "faults-odd-v1"],
    ]
    assert verify(project, "--stale") == (0, [], "")


def test_what_had_passed_before_an_interrupt_is_known(project: Path, tmp_path: Path) -> None:
    asked = ("--release=1.0", "--check=simulate-even-v1", "--check=simulate-odd-v1")
    with start(project, *asked, WAITS="odd") as process:
        while not any("odd" in line for line in runs(tmp_path)):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert (process.returncode, stdout, stderr.count("\n")) == (130, "", 1)
    assert "Traceback" not in stderr
    (tmp_path / "runs").unlink()
    assert verify(project, *asked) == (
        0,
        ["v1.0  simulate-even-v1  pass (known)", "v1.0  simulate-odd-v1  pass"],
        "",
    )
    assert [line.split()[1] for line in runs(tmp_path)] == ["odd"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--release", "9.9"], "no release '9.9' in the plugin's matrix; it has v1.1, v1.0"),
        (["--check", "static"], "there is no check 'static'; there are simulate-even-v1, simulate-even-v2"),
        (
            ["--stale", "--faults"],
            "--stale and --budget run what is stale, with faults and without: leave out",
        ),
        (["--budget", "soon"], "'soon' is no time: write it as 90s, 10m or 1h"),
        (["--executor", "abacus"], "Invalid value for '--executor': 'abacus' is not one of 'local', 'ray' ("),
    ],
)
def test_what_there_is_not_is_exit_code_2(project: Path, options: list[str], said: str) -> None:
    code, lines, stderr = verify(project, *options)
    assert (code, lines) == (2, [])
    assert stderr.startswith(f"syncbot: {said}")
    assert stderr.count("\n") == 1


def test_without_a_network_one_line_says_what_is_out_of_reach(project: Path) -> None:
    settings = project / "pyproject.toml"
    settings.write_text(
        settings.read_text().replace('index = "http://127.0.0.1:', 'index = "http://127.0.0.1:9/')
    )
    code, lines, stderr = verify(project, "--release", "1.0")
    assert (code, lines, stderr.count("\n")) == (3, [], 1)
    assert "127.0.0.1:9" in stderr


def test_a_project_without_a_plugin_is_told_what_to_name(project: Path) -> None:
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text().partition("[tool.syncbot.plugin]")[0])
    said = "syncbot: there is no [tool.syncbot.plugin]: name the plugin's distribution in it\n"
    assert verify(project) == (2, [], said)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("pyproject.toml", 'distribution = "tinyplugin"\n', "", "distribution"),
        ("plugin_matrix.yaml", "upstream: tiny\n", "upstream: huge\n", "upstream 'huge' is not configured"),
        ("plugin_matrix.yaml", "wheel: '1.0'", "wheel: '2.0'", "wheel '2.0'"),
        ("plugin_matrix.yaml", "tinydata: '3'", "tinyother: '3'", "pins no version of tinydata"),
        ("plugin_matrix.yaml", "upstream: '1.5'", "upstream: '1.6'", "tiny 1.6"),
    ],
)
def test_a_wrong_project_is_told_in_one_line(project: Path, file: str, old: str, new: str, said: str) -> None:
    path = project / file
    path.write_text(path.read_text().replace(old, new))
    code, lines, stderr = verify(project)
    assert (code in (2, 3), lines, stderr.count("\n")) == (True, [], 1), stderr
    assert said in stderr
