"""A tiny upstream in git and a tiny backend that follows it, written for the newest release."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from syncbot.cli import main
from tests.project_texts import hatchling, settings, write

OLD = {
    "up/__init__.py": "",
    "up/base.py": "class Base:\n    def sizes(self):\n        return []\n\n    def run(self):\n"
    "        return self.sizes()\n",
    "up/utils.py": "class Thing:\n    def __init__(self, a):\n        self.a = a\n        self.b = a * 2\n",
}
NEW = {
    "up/__init__.py": "",
    "up/base.py": "class Base:\n    def sizes(self, spec=None):\n        return []\n\n    def run(self):\n"
    "        return self.sizes(spec=1)\n",
    "up/things.py": OLD["up/utils.py"],
    "up/extra.py": "def only_new(x, y=object()):\n    return x + 1\n",
}
BACKEND = {
    "pyproject.toml": hatchling("mine", "2.0.0", 'dependencies = ["attrs"]\n', package="src/mine").replace(
        'name = "mine"', 'name = "mine"  # ours'
    ),
    "src/mine/__init__.py": "",
    "src/mine/base.py": """\
from up.base import Base
from up.things import Thing


class Mine(Base):
    # sizes of blocks
    def sizes(self, spec=None):
        return [Thing( 1 )]
""",
}
MATRIX = """\
upstream: up
baseline: v2.0.0
pinned: [torch]
lanes:
  - {tag: v2.0.0, wheel: 2.0.0, python: ">=3.10", stack: {torch: 2.13.0, cann: null}}
  - {tag: v1.0.0, wheel: 1.0.0.post1, python: ">=3.10", stack: {torch: 2.12.0}, note: the old one}
"""


def git(folder: Path, *arguments: str) -> str:
    """Return the output of git, from both of its streams."""
    identity = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
                "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
                "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
                "GIT_CONFIG_GLOBAL": os.devnull}  # fmt: skip
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | identity, text=True
    )
    return done.stdout + done.stderr


@dataclass(frozen=True)
class Project:
    root: Path

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run the command line; return its exit code and all it printed."""
        command, *rest = arguments
        result = CliRunner().invoke(main, [command, *rest, "--backend", str(self.root)])
        return result.exit_code, result.output

    def configure(self, line: str) -> None:
        """Add a line to [tool.syncbot]."""
        file = self.root / "pyproject.toml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("[tool.syncbot]\n", f"[tool.syncbot]\n{line}\n"), encoding="utf-8")

    def files(self, *folders: str) -> dict[str, bytes]:
        """The contents of all files below the root, or below folders of it."""
        tops = [self.root / folder for folder in folders] or [self.root]
        found = [file for top in tops for file in top.rglob("*") if file.is_file()]
        return {file.relative_to(self.root).as_posix(): file.read_bytes() for file in sorted(found)}


@pytest.fixture(scope="session")
def both_releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The upstream's repository, to be copied."""
    return releases(tmp_path_factory.mktemp("upstream"))


def releases(upstream: Path) -> Path:
    """The repository of the upstream with both of its releases, in a folder that is given back."""
    write(upstream, OLD)
    # Without the hooks that git has as samples.
    git(upstream, "init", "-q", "-b", "main", "--template=")
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "Old")
    git(upstream, "tag", "v1.0.0")
    git(upstream, "rm", "-q", "up/utils.py")
    write(upstream, NEW)
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "New")
    git(upstream, "tag", "v2.0.0")
    return upstream


def project_in(folder: Path, upstream: Path) -> Project:
    """A project below a folder, and beside it a copy of the upstream that it follows."""
    # With its times, git need not read the files again.
    shutil.copytree(upstream, folder / "upstream")
    root = folder / "repository"
    config = settings("up", 'git = "../upstream"', "mine")
    write(root, {"pyproject.toml": config, "compat_matrix.yaml": MATRIX})
    write(root / "backend", BACKEND)
    return Project(root)


@pytest.fixture
def project(tmp_path: Path, both_releases: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    return project_in(tmp_path, both_releases)
