"""A backend in a git repository with a bare remote, whose upstream has moved on: ``syncbot apply`` is due."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

import syncbot.cli
from tests.project_texts import hatchling, settings, write

OLD = {
    "engine/__init__.py": "",
    "engine/old_home.py": "class Part:\n    pass\n",
    "engine/base.py": "class Base:\n    def run(self):\n        return 1\n\n\ndef main(x: Base):\n    x.run()\n",
}
NEW = {
    "engine/__init__.py": "",
    "engine/home.py": OLD["engine/old_home.py"],
    "engine/base.py": "class Base:\n    def run(self, fast=None):\n        return 1\n\n\ndef main(x: Base):\n    x.run(fast=1)\n",
}
BACKEND = {
    ".gitignore": "build/\n",
    "pyproject.toml": settings(
        "engine",
        'git = "../engine"\nweb = "https://github.com/octocat/engine"',
        "plugin",
        backend="code",
    ),
    "compat_matrix.yaml": """\
upstream: engine
baseline: v2.0.0
lanes:
  - {tag: v2.0.0, wheel: 2.0.0, python: ">=3.11"}
  - {tag: v1.0.0, wheel: 1.0.0, python: ">=3.10,<3.13"}
""",
    "code/pyproject.toml": hatchling("plugin", "2.0.0"),
    "code/src/plugin/__init__.py": "",
    "code/src/plugin/mine.py": """\
from engine.base import Base
from engine.home import Part


class Mine(Base):
    part = Part()

    def run(self, fast=None):
        return 2
""",
}


@dataclass(frozen=True)
class Project:
    root: Path

    @property
    def plugin(self) -> Path:
        return self.root / "plugin"

    @property
    def remote(self) -> Path:
        return self.root / "remote.git"

    def git(self, folder: Path, *args: str) -> str:
        roles = {f"GIT_{role}_{what}": who for role in ("AUTHOR", "COMMITTER") for what, who in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))}  # fmt: skip
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(
            ["git", *args], cwd=folder, check=True, capture_output=True, text=True, env=kept | roles | quiet
        )
        return done.stdout.strip()

    def commit(self, folder: Path, message: str) -> str:
        self.git(folder, "add", "--all")
        self.git(folder, "commit", "--quiet", "-m", message)
        return self.git(folder, "rev-parse", "HEAD")

    def head(self) -> str:
        return self.git(self.plugin, "rev-parse", "HEAD")

    def pushed(self, branch: str = "syncbot/patches") -> str:
        return self.git(self.remote, "rev-parse", f"refs/heads/{branch}")

    def shown(self, *args: str) -> list[str]:
        return self.git(self.remote, *args).splitlines()

    def apply(self) -> None:
        done = CliRunner().invoke(syncbot.cli.main, ["apply", "--backend", str(self.plugin)])
        assert done.exit_code == 0, done.output

    def files(self) -> dict[str, str]:
        """Every file of the backend's repository, .git included, by its content and mode."""
        found = {}
        for file in sorted(self.plugin.rglob("*")):
            if file.is_file():
                text = hashlib.sha256(file.read_bytes()).hexdigest()
                found[file.relative_to(self.plugin).as_posix()] = f"{file.stat().st_mode:o} {text}"
        return found


def make(root: Path) -> Project:
    made = Project(root)
    engine = root / "engine"
    write(engine, OLD)
    made.git(engine, "init", "--quiet", "--initial-branch=main")
    made.commit(engine, "Begin")
    made.git(engine, "tag", "v1.0.0")
    (engine / "engine/old_home.py").unlink()
    write(engine, NEW)
    made.commit(engine, "Move on (#17)")
    made.git(engine, "tag", "v2.0.0")
    write(made.plugin, BACKEND)
    made.git(made.plugin, "init", "--quiet", "--initial-branch=main")
    made.commit(made.plugin, "Begin")
    made.git(root, "init", "--quiet", "--bare", "--initial-branch=main", str(made.remote))
    made.git(made.plugin, "remote", "add", "origin", str(made.remote))
    made.git(made.plugin, "push", "--quiet", "origin", "main")
    made.git(made.plugin, "fetch", "--quiet")
    return made
