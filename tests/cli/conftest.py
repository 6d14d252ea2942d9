"""A small upstream ``engine`` with a history, a backend ``plugin`` that follows it, and the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import syncbot.cli
from syncbot.running import commands
from tests.commits import GIT, head

ENGINE = {
    "engine/__init__.py": "",
    "engine/config.py": """
from dataclasses import dataclass


@dataclass
class Config:
    size: int = 1
    eager: bool = False
""",
    "engine/text.py": """
def clean(text: str, strict: bool = False) -> str:
    return text.strip()


def split(text: str) -> tuple[str, str]:
    return text, text
""",
    "engine/worker.py": """
from engine.config import Config


class Worker:
    def __init__(self, config: Config):
        self.config = config

    def execute(self, batch: list[int]) -> int:
        return len(batch)


def main(worker: Worker) -> None:
    worker.execute([1])
""",
}

PLUGIN = {
    "pyproject.toml": """
[tool.syncbot.upstreams.engine]
packages = ["engine"]
git = "../engine"
""",
    "src/plugin/__init__.py": "",
    "src/plugin/worker.py": """
from engine.config import Config
from engine.text import clean, split
from engine.worker import Worker


class FastWorker(Worker):
    def __init__(self, config: Config):
        super().__init__(config)
        self.name = clean("fast", strict=True)

    def execute(self, batch: list[int]) -> int:
        head, tail = split(self.name)
        return len(head + tail) + self.config.size
""",
}


@dataclass
class Project:
    """The two repositories; every method that commits returns the new commit's sha."""

    root: Path
    hour: int = 0
    files: dict[str, str] = field(default_factory=lambda: dict(ENGINE))

    @property
    def engine(self) -> Path:
        return self.root / "engine"

    @property
    def plugin(self) -> Path:
        return self.root / "plugin"

    def git(self, *args: str) -> str:
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (
                ("NAME", "Ada Lovelace"),
                ("EMAIL", "ada@example.com"),
                ("DATE", f"{1_769_097_600 + 3600 * self.hour} +0800"),
            )
        }
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        base = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(
            [*GIT, "-C", self.engine, *args], check=True, capture_output=True, text=True,
            env=base | who | quiet,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        """Commit ``files`` as they stand now."""
        self.hour += 1
        for path in self.engine.rglob("*.py"):
            path.unlink()
        _write(self.engine, self.files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return head(self.engine)

    def change(self, path: str, old: str, new: str, message: str = "Change something") -> str:
        """Replace text in one file."""
        assert old in self.files[path], (path, old)
        self.files[path] = self.files[path].replace(old, new)
        return self.commit(message)

    def noise(self) -> str:
        """A commit that means nothing for the backend."""
        self.files["engine/noise.py"] = f"N = {self.hour}\n"
        return self.commit("Add noise")

    def move_a_module(self) -> str:
        """Upstream's configuration has another name, and its own module uses it."""
        self.files["engine/settings.py"] = self.files.pop("engine/config.py")
        return self.change(
            "engine/worker.py", "engine.config", "engine.settings", "Move the configuration (#7)"
        )

    def write(self, files: dict[str, str]) -> None:
        """Write files of the backend."""
        _write(self.plugin, files)

    def run(self, *args: str) -> Result:
        """``syncbot …`` on the backend."""
        return CliRunner().invoke(syncbot.cli.main, [*args, "--backend", str(self.plugin)])

    def check(self, old: str, *args: str) -> dict[str, Any]:
        """The JSON report of the contract engine on everything after ``old``."""
        result = self.run("check", "--from", old, "--engine", "contracts", "--format", "json", *args)
        assert result.exit_code in (0, 1), result.output
        report: dict[str, Any] = json.loads(result.stdout)
        assert result.exit_code == any(
            i["verdict"] == "breaks" and not i["tests_only"] for i in report["impacts"]
        )
        return report


def _write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index but the one of a test, and short limits for what is run."""
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "UV_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(commands, "SECONDS", 2.0)
    monkeypatch.setattr(commands, "IDLE", 5.0)


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for the tests of a module: environments of the same index are made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """An engine with its first release, to be copied."""
    return begin(tmp_path_factory.mktemp("begun"))


def begin(root: Path) -> Project:
    """An engine with its first release below a folder."""
    made = Project(root)
    made.engine.mkdir()
    # Without the hooks that git has as samples.
    made.git("init", "--quiet", "--initial-branch=main", "--template=")
    made.commit("Begin")
    made.git("tag", "v0.1.0")
    return made


@pytest.fixture
def project(tmp_path: Path, begun: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return project_in(tmp_path, begun)


def project_in(folder: Path, begun: Project) -> Project:
    """A backend below a folder, and beside it a copy of the engine."""
    made = Project(folder, hour=begun.hour)
    shutil.copytree(begun.engine, made.engine)
    made.write(PLUGIN)
    return made
