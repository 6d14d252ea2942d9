"""A disk that is full, Ctrl-C and kill -9 while files are written, for the commands that write into a project.

The disk is full for one process: it may not let a file grow beyond a size (RLIMIT_FSIZE), which every machine
allows. A write then fails in its middle, as on a full disk, with some of its bytes written.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from .conftest import Project

LIMITED = """
import resource, sys
from syncbot.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY))
main({arguments!r})
"""
STOPPED = """
import os, signal, sys
from syncbot.cli import main
real, calls = os.replace, 0
def replace(*a, **k):
    global calls
    calls += 1
    if calls == {moment}:
        {act}
    return real(*a, **k)
os.replace = replace
main({arguments!r})
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    # A cut file of bytecode would stop whoever imports it next.
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)


def kept(project: Project) -> dict[str, bytes]:
    """All that a person would miss: the project without what is generated from it."""
    return {path: text for path, text in project.files().items() if not path.startswith("build/")}


@pytest.mark.parametrize("size", [0, 150])
def test_apply_on_a_full_disk(project: Project, size: int) -> None:
    before = kept(project)
    arguments = ["apply", "--backend", str(project.root)]
    done = python(LIMITED.format(size=size, arguments=arguments))
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert kept(project) == before
    assert project.run("apply")[0] == 0
    assert "patches/2.0.0-up-things.yaml" in kept(project)


@pytest.mark.parametrize("size", [0, 150])
def test_verify_on_a_full_disk(project: Project, size: int) -> None:
    """The matrix is as it was, not half of what it was to be."""
    project.run("apply")
    before = kept(project)
    arguments = ["verify", "--static", "--backend", str(project.root)]
    done = python(LIMITED.format(size=size, arguments=arguments))
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert kept(project) == before
    assert project.run("verify", "--static")[0] == 0
    assert kept(project) != before


@pytest.mark.parametrize("act", ["os.kill(os.getpid(), signal.SIGKILL)", "raise KeyboardInterrupt"])
def test_verify_stopped_while_it_writes(project: Project, act: str) -> None:
    project.run("apply")
    before = kept(project)
    arguments = ["verify", "--static", "--backend", str(project.root)]
    done = python(STOPPED.format(moment=1, act=act, arguments=arguments))
    assert done.returncode in (-signal.SIGKILL, 130), done.stderr
    now = {path: text for path, text in kept(project).items() if ".compat_matrix" not in path}
    assert now == before
    assert project.run("verify", "--static")[0] == 0


def test_a_report_is_whole_or_not_there(project: Project) -> None:
    report = project.root / "report.json"
    arguments = ["check", "--from", "v1.0.0", "--to", "v2.0.0", "--engine", "contracts", "--format", "json",
                 "--output", str(report), "--backend", str(project.root)]  # fmt: skip
    report.write_text("mine")
    for code in (
        LIMITED.format(size=150, arguments=arguments),
        STOPPED.format(moment=1, act="os.kill(os.getpid(), signal.SIGKILL)", arguments=arguments),
        STOPPED.format(moment=1, act="raise KeyboardInterrupt", arguments=arguments),
    ):
        done = python(code)
        assert done.returncode in (3, 130, -signal.SIGKILL), done.stderr
        assert "Traceback" not in done.stderr
        assert report.read_text() == "mine"
    assert python(STOPPED.format(moment=0, act="pass", arguments=arguments)).returncode in (0, 1)
    assert report.read_text().startswith("{")
