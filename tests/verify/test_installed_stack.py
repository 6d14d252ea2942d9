from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from syncbot.config import PartConfig
from syncbot.errors import UsageError
from syncbot.verify.installed_stack import current_interpreter, look, part_version


def test_this_environment_is_read_from_metadata() -> None:
    found = look(Path(sys.executable), {})
    assert Version(found.python) == Version(".".join(map(str, sys.version_info[:3])))
    assert Version(found.distributions["pytest"]) == Version(pytest.__version__)
    assert "typing-extensions" in found.distributions
    assert found.parts == {}


def test_what_is_installed_broken_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "Broken_Thing-1.5+local.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: Broken_Thing\nVersion: 1.5+local\n")
    (tmp_path / "broken_thing.py").write_text("raise SystemExit('imported')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert look(Path(sys.executable), {}).distributions["broken-thing"] == "1.5+local"


@pytest.mark.parametrize("interpreter", ["/nowhere/python", "/bin/true", "/etc/passwd", os.curdir])
def test_what_is_no_interpreter_is_one_line(interpreter: str) -> None:
    with pytest.raises(UsageError) as raised:
        look(Path(interpreter), {})
    assert interpreter in str(raised.value)


def test_the_active_environment_outweighs_syncbot_s_own(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    assert current_interpreter({"VIRTUAL_ENV": str(tmp_path)}) == python
    assert current_interpreter({"VIRTUAL_ENV": str(tmp_path / "gone")}) == Path(sys.executable)
    assert current_interpreter({}) == Path(sys.executable)


def test_a_part_is_read_where_its_variable_points(tmp_path: Path) -> None:
    for name, text in {
        "a": "package_name=kit\nversion=8.2.RC1\ninnerversion=V1\n",
        "b": "Version = 9.0\n",
    }.items():
        (tmp_path / name / "x-linux").mkdir(parents=True)
        (tmp_path / name / "x-linux" / "kit.info").write_text(text)
    part = PartConfig(variables=("KIT",), folders=(str(tmp_path / "b"),), files=("*-linux/kit.info",))
    assert part_version(part, {"KIT": str(tmp_path / "a")}) == "8.2.RC1"
    assert part_version(part, {}) == "9.0"
    assert part_version(part, {"KIT": str(tmp_path / "nowhere")}) == "9.0"
    assert part_version(PartConfig(files=("kit.info",)), {"KIT": str(tmp_path)}) is None
