"""The versions of upstream that a project declares, and packages that cannot be installed with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.version import Version

from syncbot.project_metadata.conflicting_requirements import conflicts
from syncbot.project_metadata.declared_window import declared_window
from syncbot.project_metadata.stated_requirements import metadata_requirements, stated_python

PYPROJECT = """[project]
name = "mine"
requires-python = ">=3.10"
dependencies = [
    "torch>=2.6",
]

[project.optional-dependencies]
engine = [
    "Engine_Core>=0.22.0,<=0.31.0",  # tried on each
]
"""


def project(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "inside", "outside"),
    [
        pytest.param({"pyproject.toml": PYPROJECT}, "0.22.0 0.31.0", "0.21.9 0.31.1", id="an extra"),
        pytest.param({"setup.cfg": "[options]\ninstall_requires =\n  engine-core>=1,<2\n"}, "1.0", "2.0", id="setup.cfg"),
        pytest.param({"setup.cfg": "[options.extras_require]\nfast =\n  engine-core~=1.2\n"}, "1.4", "2.0",
                     id="an extra of setup.cfg"),
        pytest.param({"setup.py": "setup(name='m', extras_require={'x': ['engine-core>=1,!=1.5']})"}, "1.4", "1.5",
                     id="an extra of setup.py"),
        pytest.param({"PKG-INFO": "Name: m\nRequires-Dist: engine-core>=3; extra == 'x'\n"}, "3.1", "2", id="metadata"),
        pytest.param({"requirements.txt": "engine-core>=3\n"}, "3.1", "2", id="a file of requirements"),
        pytest.param({"pyproject.toml": PYPROJECT, "constraints.txt": "engine-core<0.30\n"}, "0.29", "0.30.0",
                     id="constraints leave less"),
        pytest.param({"pyproject.toml": PYPROJECT.replace("engine = [", "other = ['engine-core==0.9']\nengine = [")},
                     "0.9 0.25", "0.10", id="two extras"),
    ],
)  # fmt: skip
def test_the_declared_versions(tmp_path: Path, files: Mapping[str, str], inside: str, outside: str) -> None:
    declared = declared_window(project(tmp_path, files), "engine-core")
    assert all(declared.holds(Version(version)) for version in inside.split())
    assert not any(declared.holds(Version(version)) for version in outside.split())


def test_a_requirement_is_told_with_its_line(tmp_path: Path) -> None:
    declared = declared_window(project(tmp_path, {"pyproject.toml": PYPROJECT}), "engine-core")
    assert str(declared).endswith("(pyproject.toml:10)")
    assert declared.bounds_below
    assert not declared_window(tmp_path, "other").requirements


def test_without_an_oldest_version_no_window_is_bounded(tmp_path: Path) -> None:
    declared = declared_window(project(tmp_path, {"requirements.txt": "engine-core\n"}), "engine-core")
    assert declared.requirements
    assert not declared.bounds_below


@pytest.mark.parametrize(
    ("ours", "theirs", "named"),
    [
        pytest.param("torch>=2.6", "torch==2.11.0", [], id="a pin within"),
        pytest.param("torch>=2.6,<2.11", "torch==2.11.0", ["torch"], id="a pin above"),
        pytest.param("transformers>=5", "transformers<5,>=4.56", ["transformers"], id="no overlap"),
        pytest.param("transformers>=4.56.2", "transformers!=5.0.*,>=4.56.0", [], id="a hole"),
        pytest.param("transformers==5.0.1", "transformers!=5.0.*,>=4.56.0", ["transformers"], id="in the hole"),
        pytest.param("transformers<5", "transformers>4.99", [], id="between"),
        pytest.param("numpy>2; python_version < '3'", "numpy<2", [], id="for another Python"),
        pytest.param("numpy>2; sys_platform == 'win32'", "numpy<2", [], id="for another system"),
        pytest.param("Some_Thing==1.0", "some-thing==2.0", ["some-thing"], id="spelled otherwise"),
        pytest.param("torch", "numpy<2", [], id="others"),
    ],
)  # fmt: skip
def test_what_no_version_can_meet(tmp_path: Path, ours: str, theirs: str, named: list[str]) -> None:
    mine = project(tmp_path / "mine", {"requirements.txt": f"{ours}\n"})
    other = project(tmp_path / "other", {"PKG-INFO": f"Name: o\nRequires-Dist: {theirs}\n"})
    found = conflicts(metadata_requirements(mine), metadata_requirements(other), None, None)
    assert [each.name for each in found] == named
    for each in found:
        assert "requirements.txt:1" in each.ours
        assert "PKG-INFO:2" in each.theirs


def test_pythons_that_do_not_meet(tmp_path: Path) -> None:
    mine = stated_python(project(tmp_path / "mine", {"pyproject.toml": PYPROJECT}))
    old = stated_python(project(tmp_path / "old", {"PKG-INFO": "Name: o\nRequires-Python: <3.10,>=3.8\n"}))
    new = stated_python(project(tmp_path / "new", {"PKG-INFO": "Name: o\nRequires-Python: <3.15,>=3.11\n"}))
    assert [each.name for each in conflicts((), (), mine, old)] == ["python"]
    assert conflicts((), (), mine, new) == ()
