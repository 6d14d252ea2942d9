"""Where the sources of a plugin lie."""

from pathlib import Path

import pytest

from syncbot.contracts.source_files import read_backend
from syncbot.errors import UsageError


def test_a_project_of_one_module(tmp_path: Path) -> None:
    for name in ("plugin.py", "test_plugin.py", "setup.py", "conftest.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/conf.py").write_text("")
    backend = read_backend(tmp_path, ["src"], ["tests"])
    assert [(f.path, f.module, f.is_test) for f in backend.files] == [
        ("plugin.py", "plugin", False),
        ("test_plugin.py", "test_plugin", True),
    ]


def test_only_a_build_file_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    with pytest.raises(UsageError, match="no Python package"):
        read_backend(tmp_path, ["src"], ["tests"])


@pytest.mark.parametrize(
    ("text", "module"), [("from space.pkg import a\n", "space.pkg"), ("import spacer.pkg, pkg\n", "pkg")]
)
def test_a_package_of_a_namespace_is_called_as_its_files_call_it(
    tmp_path: Path, text: str, module: str
) -> None:
    (tmp_path / "space/pkg").mkdir(parents=True)
    (tmp_path / "space/pkg/__init__.py").write_text("")
    (tmp_path / "space/pkg/a.py").write_text(text)
    found = [f.module for f in read_backend(tmp_path, [], []).files]
    assert found == [module, f"{module}.a"]
