"""Entry points, however a project's metadata spells them."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.project_metadata.entry_points import loaded_names

PYPROJECT = """
[project]
name = "x"
[project.scripts]
x = "x.cli:main"
[project.entry-points."host.plugins"]
x = "x.load:register [extra]"
"""
POETRY = """
[tool.poetry.scripts]
x = "x.cli:main"
[tool.poetry.plugins."host.plugins"]
x = "x.load:register"
"""
SETUP = """
from setuptools import setup
setup(name="x", entry_points={"host.plugins": ["x = x.load:register"], "console_scripts": ["x = x.cli:main"]})
"""
CONFIG = """
[options.entry_points]
console_scripts =
    x = x.cli:main
host.plugins =
    x = x.load:register
"""
BOTH = {"x.load.register", "x.cli.main"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", PYPROJECT),
        ("pyproject.toml", POETRY),
        ("setup.py", SETUP),
        ("setup.cfg", CONFIG),
    ],
)
def test_what_others_load(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert loaded_names(tmp_path) == BOTH


def test_the_metadata_may_lie_above_the_package(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(SETUP)
    package = tmp_path / "x"
    package.mkdir()
    assert loaded_names(package) == set()
    (package / "__init__.py").touch()
    assert loaded_names(package) == BOTH


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("pyproject.toml", PYPROJECT.partition("[project.entry")[0], id="a command alone"),
        pytest.param("pyproject.toml", "[project]\nname = 'x'\n", id="none"),
        pytest.param("pyproject.toml", "[project", id="damaged"),
        pytest.param("setup.py", SETUP.replace('{"host', 'known or {"host'), id="told when it runs"),
        pytest.param("README.md", "x.load:register", id="no metadata"),
    ],
)
def test_nothing_is_known_to_be_loaded(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert loaded_names(tmp_path) == set()
