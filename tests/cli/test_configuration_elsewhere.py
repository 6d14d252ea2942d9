"""``--config FILE``: the configuration stands outside the plugin, which stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import syncbot.cli

from .conftest import Project

UPSTREAM = '[upstreams.engine]\npackages = ["engine"]\ngit = "../engine"\n'


@pytest.fixture
def bare(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The plugin without any configuration, as the current folder, and a file of its own beside it."""
    (project.plugin / "pyproject.toml").write_text('[project]\nname = "plugin"\n', encoding="utf-8")
    file = project.root / "bot" / "plugin.toml"
    file.parent.mkdir()
    file.write_text(UPSTREAM, encoding="utf-8")
    project.change("engine/text.py", ", strict: bool = False", "")
    monkeypatch.chdir(project.plugin)
    return file


def test_check_and_contracts_read_it(project: Project, bare: Path) -> None:
    done = project.run("check", "--from", "v0.1.0", "--config", str(bare))
    assert "src/plugin/worker.py:9" in done.output
    assert done.exit_code == 1
    listed = CliRunner().invoke(syncbot.cli.main, ["contracts", "--config", "../bot/plugin.toml"])
    assert "engine.text" in listed.output
    assert "no upstream is configured" in project.run("check", "--from", "v0.1.0").output


def test_migrate_writes_into_the_plugin(project: Project, bare: Path) -> None:
    asked = ("migrate", "--from", "v0.1.0", "--engine", "contracts", "--allow-dirty", "--config", str(bare))
    project.run(*asked)
    assert 'clean("fast")' in (project.plugin / "src/plugin/worker.py").read_text(encoding="utf-8")
    assert [path.name for path in bare.parent.iterdir()] == ["plugin.toml"]
