"""The project itself, copied so that what is checked leaves no evidence behind in the checkout."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.forked_command import command

REPOSITORY = Path(__file__).parents[2]
_PARTS = (
    *("pyproject.toml", "compat_matrix.yaml"),
    *("patches", "backend", "simulator", "evidence", "overlays/as-published"),
)
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "build", "dist", ".*")


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what syncbot reads of this repository."""
    root = tmp_path_factory.mktemp("project")
    for name in _PARTS:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=_LEFT_OUT)
        else:
            shutil.copy2(source, root / name)
    return root


@pytest.fixture(scope="session")
def syncbot(project: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command line on the project. Lane environments come from the user's own cache."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return command(*arguments, "--backend", str(project))

    return run
