"""Packages that are installed with a project: its requirements, and those of its tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.project_metadata.installed_with import installed_with

PYPROJECT = """
[project]
name = "mine"
dependencies = ["up>=1", "away @ https://example.org/a.whl", "old; python_version < '3'"]
[project.optional-dependencies]
fast = ["quick"]
{extras}
"""


def read(root: Path, files: dict[str, str], upstream: str = "up") -> tuple[list[str], list[str]]:
    for name, text in files.items():
        (root / name).write_text(text)
    found = installed_with(root, upstream)
    return list(map(str, found.runtime)), list(map(str, found.tests))


@pytest.mark.parametrize(
    ("extras", "tests"),
    [
        ('test = ["pytest", "mine[fast]"]\ndev = ["black"]', ["pytest", "quick"]),
        ('dev = ["black>=2"]', ["black>=2"]),
        ('docs = ["sphinx"]', []),
        ('[dependency-groups]\ntests = ["a", {include-group = "more"}]\nmore = ["b"]', ["a", "b"]),
    ],
)
def test_the_extra_of_tests(tmp_path: Path, extras: str, tests: list[str]) -> None:
    runtime, found = read(tmp_path, {"pyproject.toml": PYPROJECT.format(extras=extras)})
    assert runtime == ["up>=1"]
    assert found == tests


def test_what_a_build_wrote_counts_more_than_what_is_dynamic(tmp_path: Path) -> None:
    built = (
        "Metadata-Version: 2.1\nName: mine\nVersion: 1\nRequires-Dist: up>=2\n"
        'Requires-Dist: pytest; extra == "test"\nRequires-Dist: black; extra == "dev"\n'
    )
    setup = "from setuptools import setup\nsetup(name='mine', install_requires=open('r').read())\n"
    assert read(tmp_path, {"setup.py": setup, "PKG-INFO": built}) == (["up>=2"], ["pytest"])


def test_files_of_requirements(tmp_path: Path) -> None:
    files = {
        "setup.py": "from setuptools import setup\nsetup(name='mine')\n",
        "requirements.txt": "up  # upstream\n-r other.txt\n",
        "requirements-test.txt": "pytest\n",
    }
    assert read(tmp_path, files) == (["up"], ["pytest"])


def test_the_file_of_developers_counts_where_nothing_else_is_said_of_tests(tmp_path: Path) -> None:
    files = {
        "setup.py": "from setuptools import setup\nsetup(name='mine')\n",
        "requirements-dev.txt": "ddt\n",
    }
    assert read(tmp_path, files) == ([], ["ddt"])
    assert read(tmp_path, files | {"test-requirements.txt": "pytest\n"}) == ([], ["pytest"])


@pytest.mark.parametrize(
    ("upstream", "runtime"),
    [
        ("engine", ["up>=1", "Engine<3", "server"]),
        ("up", ["up>=1"]),
        ("nobody", ["up>=1"]),
    ],
)
def test_the_extra_that_names_the_upstream(tmp_path: Path, upstream: str, runtime: list[str]) -> None:
    extras = (
        'all = ["server", "quick", "Engine<3"]\n'
        'engine = ["Engine<3", "server", "old; python_version < \'3\'"]'
    )
    assert read(tmp_path, {"pyproject.toml": PYPROJECT.format(extras=extras)}, upstream)[0] == runtime
    built = (
        "Metadata-Version: 2.1\nName: mine\nVersion: 1\nRequires-Dist: up>=1\nProvides-Extra: engine\n"
        'Requires-Dist: Engine<3; extra == "engine"\nRequires-Dist: server; extra == "engine"\n'
    )
    (tmp_path / "pyproject.toml").unlink()
    assert read(tmp_path, {"setup.py": "", "PKG-INFO": built}, upstream)[0] == runtime
