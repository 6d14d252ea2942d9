"""Commands that wait for others are ended by a signal, with all that they started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.interrupted_program import STUBBORN, Ended, interrupted, living

from .conftest import Project
from .test_migrate import committed

pytestmark = pytest.mark.long


def slow_checkers(folder: Path, mark: Path) -> Path:
    """A Python with this one's packages whose type checkers take ten minutes."""
    home = Path(sys.prefix)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(os.path.realpath(sys.executable))
    (folder / "pyvenv.cfg").write_text(f"home = {Path(os.path.realpath(sys.executable)).parent}\n")
    packages = Path(sysconfig.get_path("purelib"))
    (folder / packages.relative_to(home)).parent.mkdir(parents=True)
    (folder / packages.relative_to(home)).symlink_to(packages)
    for name in ("pyrefly", "ty"):
        (folder / "bin" / name).write_text(STUBBORN.format(mark=mark, number=os.getpid()))
        (folder / "bin" / name).chmod(0o755)
    return folder / "bin/python"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "command", [("check", "--engine", "pyrefly", "--engine", "ty"), ("migrate", "--engine", "all")]
)
def test_while_type_checkers_run(
    project: Project, tmp_path: Path, command: tuple[str, ...], how: signal.Signals
) -> None:
    project.change("engine/text.py", "strict: bool = False", "loose: bool = False")
    committed(project)
    mark = tmp_path / "running"
    python = slow_checkers(tmp_path / "python", mark)
    (tmp_path / "tmp").mkdir()
    ended = interrupted(
        [python, "-m", "syncbot", *command, "--from", "v0.1.0", "--backend", str(project.plugin)], how, mark,
        {"TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert ended == Ended(130, "", "syncbot: interrupted\n")
    assert living(f"TMPDIR={tmp_path}/tmp") == []
    assert list((tmp_path / "tmp").iterdir()) == []
    status = ["git", "-C", str(project.plugin), "status", "--porcelain"]
    assert subprocess.run(status, check=True, capture_output=True, text=True).stdout == ""
