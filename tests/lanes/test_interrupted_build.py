"""A signal ends ``syncbot build`` while a build works, with all that the build started."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.interrupted_program import STUBBORN, Ended, interrupted, living

from .conftest import Project, write

pytestmark = pytest.mark.long

HOOK = """
import subprocess
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        subprocess.run(["sh", "-c", {program!r}])
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_while_a_hook_of_the_backend_runs(project: Project, tmp_path: Path, how: signal.Signals) -> None:
    mark, number = tmp_path / "running", f"{os.getpid()}{how}"
    write(
        project.root / "backend",
        {"hatch_build.py": HOOK.format(program=STUBBORN.format(mark=mark, number=number))},
    )
    with (project.root / "backend/pyproject.toml").open("a") as file:
        file.write("[tool.hatch.build.hooks.custom]\n")
    (tmp_path / "tmp").mkdir()
    assert interrupted(
        [sys.executable, "-m", "syncbot", "build", "--all", "--backend", project.root], how, mark,
        {"TMPDIR": str(tmp_path / "tmp")},
    ) == Ended(130, "", "syncbot: interrupted\n")  # fmt: skip
    assert living(f"600.{number}") + living(f"{tmp_path}/tmp") == []
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not list((project.root / "dist").glob("*"))
    assert not [path for path in project.root.rglob(".*") if path.suffix in (".new", ".old")]
