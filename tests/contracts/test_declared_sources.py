"""Where no folder of sources is configured, the project's metadata says where its packages are."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.contracts.source_files import read_backend

from .test_sources import make, shown

OTHERS = ("scripts/__init__.py", "scripts/run.py", "src/native/gen.py", "setup.py")

HATCH = '[tool.hatch.build.targets.wheel]\npackages = ["python/plugin"]\n'
SETUPTOOLS = '[tool.setuptools.packages.find]\nwhere = ["python"]\n'
INCLUDED = '[tool.setuptools.packages.find]\nwhere = ["python"]\ninclude = ["plugin*"]\n'
LISTED = '[tool.setuptools]\npackages = ["plugin", "plugin.sub"]\npackage-dir = { "" = "python" }\n'
MAPPED = '[tool.setuptools]\npackages = ["plugin"]\npackage-dir = { plugin = "python/plugin" }\n'
POETRY = '[tool.poetry]\npackages = [{ include = "plugin", from = "python" }]\n'
MATURIN = '[tool.maturin]\npython-source = "python"\n'
SCIKIT = '[tool.scikit-build]\nwheel.packages = ["python/plugin"]\n'
UV = '[tool.uv.build-backend]\nmodule-name = "plugin"\nmodule-root = "python"\n'


@pytest.mark.parametrize(
    "text", [HATCH, SETUPTOOLS, INCLUDED, LISTED, MAPPED, POETRY, MATURIN, SCIKIT, UV], ids=lambda t: t[6:20]
)
def test_pyproject(tmp_path: Path, text: str) -> None:
    make(tmp_path, "python/plugin/__init__.py", "python/plugin/sub/a.py", *OTHERS)
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert shown(read_backend(tmp_path, [], [])) == [
        ("python/plugin/__init__.py", "plugin", False),
        ("python/plugin/sub/a.py", "plugin.sub.a", False),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.cfg", "[options]\npackages = find:\npackage_dir =\n    = python\n"),
        ("setup.cfg", "[options]\npackages = find:\n[options.packages.find]\nwhere = python\ninclude = plugin*\n"),
        ("setup.cfg", "[options]\npackages =\n    plugin\n    plugin.sub\npackage_dir =\n    = python\n"),
        ("setup.py", "from setuptools import *\nsetup(package_dir={'': 'python'}, packages=find_packages('python'))\n"),
        ("setup.py", "import setuptools\nsetuptools.setup(packages=['plugin'], package_dir={'': 'python'})\n"),
    ],
)  # fmt: skip
def test_setup_files(tmp_path: Path, name: str, text: str) -> None:
    make(tmp_path, "python/plugin/__init__.py", *OTHERS)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [f.path for f in read_backend(tmp_path, [], []).files] == ["python/plugin/__init__.py"]


def test_a_namespace_and_single_modules_keep_their_names(tmp_path: Path) -> None:
    make(tmp_path, "company/plugin/a.py", "single.py", "other.py")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.setuptools]\npy-modules = ["single"]\npackages = ["company.plugin"]\n', encoding="utf-8"
    )
    assert shown(read_backend(tmp_path, [], [])) == [
        ("company/plugin/a.py", "company.plugin.a", False),
        ("single.py", "single", False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '[tool.setuptools]\npackages = ["engine.mine"]\npackage-dir = { "engine.mine" = "python/engine/mine" }\n',
        '[tool.poetry]\npackages = [{ include = "engine/mine", from = "python" }]\n',
        '[tool.flit.module]\nname = "engine.mine"\n',
        '[tool.uv.build-backend]\nmodule-name = "engine.mine"\nmodule-root = "python"\n',
    ],
    ids=lambda t: t[6:20],
)
def test_a_package_below_that_of_another_project_keeps_its_name(tmp_path: Path, text: str) -> None:
    folder = "src" if "flit" in text else "python"
    make(tmp_path, f"{folder}/engine/mine/__init__.py", *OTHERS)
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert shown(read_backend(tmp_path, [], [])) == [
        (f"{folder}/engine/mine/__init__.py", "engine.mine", False)
    ]


@pytest.mark.parametrize(
    "text",
    [
        '[tool.hatch.build.targets.wheel]\npackages = ["csrc", "/etc", "../other", "missing"]\n',
        "[tool.setuptools.packages.find]\nwhere = ['csrc', '..']\n",
        "[tool.setuptools]\npackages = 3\n",
        "tool = 3\n",
        "[tool.setuptools\n",
    ],
)
def test_folders_without_python_and_damage_are_passed_over(tmp_path: Path, text: str) -> None:
    make(tmp_path, "csrc/a.cpp", "plugin/__init__.py")
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert [f.path for f in read_backend(tmp_path, [], []).files] == ["plugin/__init__.py"]


def test_configured_folders_outrank_the_metadata(tmp_path: Path) -> None:
    make(tmp_path, "python/plugin/__init__.py", "lib/plugin/__init__.py")
    (tmp_path / "pyproject.toml").write_text(HATCH, encoding="utf-8")
    assert [f.path for f in read_backend(tmp_path, ["lib"], []).files] == ["lib/plugin/__init__.py"]


@pytest.mark.parametrize("excluded", ['["tests*", "tools"]', '("tests*", "tools")'])
def test_what_setup_leaves_out_is_no_source(tmp_path: Path, excluded: str) -> None:
    make(tmp_path, "plugin/__init__.py", "tests/__init__.py", "tools/__init__.py")
    call = f"from setuptools import find_packages, setup\nsetup(packages=find_packages(exclude={excluded}))\n"
    (tmp_path / "setup.py").write_text(call, encoding="utf-8")
    assert shown(read_backend(tmp_path, [], [])) == [("plugin/__init__.py", "plugin", False)]
