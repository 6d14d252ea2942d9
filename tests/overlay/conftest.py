"""A published plugin and three releases of what it follows, on a package index of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from syncbot.cli import main
from tests.upstream.conftest import make_repo as make_repo
from tests.upstream.conftest import repo as repo
from tests.upstream.package_index import File, Index, tar

BASE = "class Base:\n    def sizes(self{}):\n        return []\n\n    def run(self):\n        return self.sizes({})\n"
PLUGIN = """\
from toy.base import Base


class Mine(Base):
    def sizes(self):
        return [1]
"""
PYPROJECT = '[build-system]\nrequires = ["setuptools-scm>=8", "torch==2.10.0"]\n'


def release(version: str, parameter: str = "", value: str = "") -> File:
    folder = f"toy-{version}"
    return File(
        f"{folder}.tar.gz",
        tar(
            {
                f"{folder}/toy/__init__.py": b"",
                f"{folder}/toy/base.py": BASE.format(parameter, value).encode(),
            }
        ),
    )


def plugin(version: str, mode: int = 0o644, **more: str) -> File:
    """A source distribution as setuptools makes it: no [project] table, a version in its metadata alone. Its
    module has a mode."""
    folder = f"some_plugin-{version}"
    files = {
        "PKG-INFO": f"Metadata-Version: 2.4\nName: some_plugin\nVersion: {version}\n"
        "Requires-Python: >=3.10\nRequires-Dist: triton==3.2\nRequires-Dist: numpy\n",
        "pyproject.toml": PYPROJECT,
        "setup.py": "raise SystemExit('a build ran')\n",
        "some_plugin.egg-info/top_level.txt": "some_plugin\nlibrary\n",
        "some_plugin/__init__.py": "",
        "some_plugin/mine.py": PLUGIN,
        "some_plugin/table.json": "{}\n",
        "csrc/kernel.cpp": "int main() {}\n",
        "tests/test_mine.py": "from toy.gone import never\n",
        **more,
    }
    modes = {f"{folder}/some_plugin/mine.py": mode}
    packed = tar({f"{folder}/{path}": text.encode() for path, text in files.items()}, modes=modes)
    return File(f"{folder}.tar.gz", packed)


@pytest.fixture
def mine() -> str:
    """The text of the plugin's module that derives from upstream's."""
    return PLUGIN


@pytest.fixture
def mode() -> int:
    """The mode of the plugin's module that derives from upstream's."""
    return 0o644


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mine: str, mode: int) -> Iterator[Index]:
    releases = [
        release("1.0.0"),
        release("2.0.0", ", spec=None", "spec=1"),
        release("3.0.0", ", spec=None", "spec=1"),
    ]
    with Index(
        releases, {"some-plugin": [plugin("1.0.0rc2", mode, **{"some_plugin/mine.py": mine})]}
    ) as served:
        monkeypatch.setenv("PIP_INDEX_URL", served.url)
        monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
        yield served


@pytest.fixture
def run(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    folder = tmp_path / "overlay"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return lambda *arguments: CliRunner().invoke(main, [*arguments])


@pytest.fixture
def overlay(run: Callable[..., Result], tmp_path: Path) -> Path:
    """An overlay project with a lane for 2.0.0, the current folder."""
    made = run("overlay", "new", "--package", "some-plugin==1.0.0rc2", "--upstream", "toy", "--lane", "2.0.0")
    assert made.exit_code == 0, made.output
    return tmp_path / "overlay"
