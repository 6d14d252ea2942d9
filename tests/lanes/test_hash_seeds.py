"""Written files do not depend on the order of sets, which differs in every process."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Project


@pytest.mark.long
def test_apply_and_build_write_the_same_bytes_in_every_process(project: Project, tmp_path: Path) -> None:
    made = []
    for seed in ("1", "2"):
        root = project.root.with_name(f"seed-{seed}")
        shutil.copytree(project.root, root)
        for command in (["apply"], ["build", "--all", "--output", str(root / "dist")]):
            environment = os.environ | {
                "PYTHONHASHSEED": seed,
                "SYNCBOT_CACHE": str(tmp_path / f"cache-{seed}"),
            }
            done = subprocess.run(
                [sys.executable, "-m", "syncbot", *command, "--backend", root],
                env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
        files = Project(root).files()
        made.append({path: hashlib.sha256(content).hexdigest() for path, content in files.items()})
    first, second = made
    assert {path.partition("/")[0] for path in first} >= {"patches", "build", "dist"}
    assert sum(path.endswith(".whl") for path in first) == 2
    assert first == second
