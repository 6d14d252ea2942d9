"""The built wheel in an environment that has nothing else: what ``uvx syncbot`` gives somebody who never saw it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.upstream.package_index import File, Index, tar

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.machine


def run(
    *command: str, folder: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        command, cwd=folder, env=settings | (environment or {}), capture_output=True, text=True, check=False
    )


def test_it_answers_in_any_plugin(tmp_path: Path) -> None:
    wheels, plugin = tmp_path / "wheels", tmp_path / "plugin"
    (plugin / "my_plugin").mkdir(parents=True)
    built = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels), folder=ROOT)
    assert built.returncode == 0, built.stderr
    (plugin / "my_plugin/__init__.py").write_text("from toy import old\n", encoding="utf-8")
    (plugin / "pyproject.toml").write_text(
        '[project]\nname = "my-plugin"\ndependencies = ["toy==1.0"]\n', encoding="utf-8"
    )
    files = [
        File(f"toy-{version}.tar.gz", tar({f"toy-{version}/toy/__init__.py": text}))
        for version, text in (("1.0", b"old = new = 1\n"), ("1.1", b"new = 1\n"))
    ]
    uvx = (
        sys.executable,
        "-m",
        "uv",
        "tool",
        "run",
        "--no-config",
        "--find-links",
        str(wheels),
        "--from",
        "syncbot",
    )
    with Index(files) as index:
        environment = {
            "SYNCBOT_CACHE": str(tmp_path / "cache"),
            "UV_TOOL_DIR": str(tmp_path / "tools"),
            "PIP_INDEX_URL": index.url,
        }
        asked = run(*uvx, "syncbot", "check", folder=plugin, environment=environment)
        line = asked.stderr.splitlines()[-1].partition("): ")[2]
        assert line == "syncbot check --upstream toy --from 1.0 --to latest", asked.stderr
        done = run(*uvx, *line.split(), folder=plugin, environment=environment)
    assert "my_plugin/__init__.py:1: toy.old" in done.stdout, done.stderr
    assert done.returncode == 1
