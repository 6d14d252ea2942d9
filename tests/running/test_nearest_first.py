"""Which functions lines stand in, and which files of tests come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.contracts.source_files import read_backend
from syncbot.running.nearest_first import functions_at, nearest_first
from syncbot.running.project_copy import Project, copied, project_of, search_path

SOURCE = b"""import os

LIMIT = 3


def first(a):
    def inner():
        return a
    return inner()


class Thing:
    def __init__(self):
        self.a = 1
"""


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ([3], ()),
        ([6], ()),  # the definition runs when the module is imported
        ([9], ("up.core.first",)),
        ([14, 9], ("up.core.Thing.__init__", "up.core.first")),
    ],
)
def test_functions_at(lines: list[int], names: tuple[str, ...]) -> None:
    assert functions_at(SOURCE, "up.core", lines) == names
    assert functions_at(b"def broken(", "up.core", lines) == ()


FILES = {
    "pyproject.toml": (
        '[project]\nname = "my-plugin"\nversion = "1.5"\n[project.entry-points."up.plugins"]\nmine = "mine:a"\n'
    ),
    "mine/__init__.py": "",
    "mine/near.py": "from up import core\n",
    "mine/far.py": "import json\n",
    "mine/__main__.py": "import sys\n",
    "tests/test_a_far.py": "from mine import far\n",
    "tests/test_b_reaches.py": "from mine.near import core\n",
    "tests/test_c_direct.py": "import up.core\n",
    "venv/pyvenv.cfg": "",
    "venv/test_not_ours.py": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return project_of(read_backend(tmp_path, (), ("tests",)))


def test_what_imports_the_change_comes_first(project: Project) -> None:
    assert nearest_first(project, frozenset({"up.core"}), ()) == (
        "tests/test_c_direct.py",
        "tests/test_b_reaches.py",
        "tests/test_a_far.py",
    )
    assert nearest_first(project, frozenset({"up.other"}), ())[0] == "tests/test_a_far.py"


def test_a_copy_is_as_if_it_were_installed(project: Project, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copied(project, copy)
    assert not (copy / "venv").exists()
    assert project.modules == ("mine", "mine.far", "mine.near")
    assert project.imported == ("up",)
    root, metadata = search_path(project, copy)
    assert root == str(copy)
    (info,) = Path(metadata).iterdir()
    assert info.name == "my_plugin-1.5.dist-info"
    assert (info / "entry_points.txt").read_text() == "[up.plugins]\nmine = mine:a\n"


def test_a_package_alone_is_in_the_folder_around_it(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "__init__.py").write_text("")
    (tmp_path / "alone" / "test_it.py").write_text("")
    (tmp_path / "beside.py").write_text("")
    project = project_of(read_backend(tmp_path / "alone", (), ("tests",)))
    assert project.files == ("alone/__init__.py", "alone/test_it.py")
    assert (project.ours("alone/test_it.py"), project.ours("beside.py")) == ("test_it.py", None)
    assert project.bases == ("",)
