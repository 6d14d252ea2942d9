"""``syncbot window``: the releases of upstream that a project runs on."""

from __future__ import annotations

import json

import pytest

from .conftest import Project

BOTH = """
import importlib.metadata
from packaging.version import Version


def at_least(floor: str) -> bool:
    version = Version(importlib.metadata.version("engine"))
    return version >= Version(floor)


if at_least("0.2.0"):
    from engine.settings import Config
else:
    from engine.config import Config

mine = Config()
"""
DECLARED = '[project]\nname = "plugin"\nrequires-python = ">=3.11"\n[project.optional-dependencies]\nengine = ["engine>=0.1.0,<=0.2.0"]\n'


@pytest.fixture
def releases(project: Project) -> Project:
    """Three releases: 0.2.0 has moved a module, 0.3.0 has it back and wants an old Python."""
    project.move_a_module()
    project.git("tag", "v0.2.0")
    project.files["engine/config.py"] = project.files.pop("engine/settings.py")
    project.change("engine/worker.py", "engine.settings", "engine.config", "Move it back")
    project.git("tag", "v0.3.0")
    settings = project.plugin / "pyproject.toml"
    settings.write_text(DECLARED + settings.read_text())
    return project


def test_a_release_is_judged_on_its_own_tree_and_the_answer_is_a_requirement(releases: Project) -> None:
    result = releases.run("window")
    assert result.exit_code == 1, result.output
    lines = result.stdout.splitlines()
    assert "declared: engine<=0.2.0,>=0.1.0 (pyproject.toml:5)" in lines[0]
    rows = {line.split()[0]: line for line in lines[3:6]}
    assert rows["0.1.0"].split() == ["0.1.0", "0", "0"]
    assert rows["0.3.0"].split() == ["0.3.0", "0", "0"]
    assert rows["0.2.0"].endswith("src/plugin/worker.py:1: engine.config.Config does not exist")
    assert "Runs on 0.1 and 0.3: write engine>=0.1,<0.4,!=0.2.*" in lines
    assert any(
        line.startswith("0.2.0 is the first that it does not run on: src/plugin/worker.py:1:")
        and line.endswith("(the pull request: syncbot check --from 0.1.0 --to 0.2.0)")
        for line in lines
    )
    assert lines[-1] == "Declared, and does not run: 0.2.0"


def test_code_for_both_is_judged_on_the_release_that_it_is_for(releases: Project) -> None:
    releases.write({"src/plugin/worker.py": BOTH})
    result = releases.run("window", "--format", "json")
    # The newest release has the module where the oldest one has it.
    told = {each["version"]: each["runs"] for each in json.loads(result.stdout)["releases"]}
    assert told == {"0.1.0": True, "0.2.0": True, "0.3.0": False}
    assert json.loads(result.stdout)["requirement"] == "engine>=0.1,<0.3"
    assert result.exit_code == 0


def test_code_behind_a_question_on_the_version_that_cannot_be_read_is_a_risk(releases: Project) -> None:
    asks = "import engine\nimport other\n\nif other.decides(engine.__version__):\n    from engine.config import Config\n"
    releases.write({"src/plugin/worker.py": asks})
    told = {
        each["version"]: each
        for each in json.loads(releases.run("window", "--format", "json").stdout)["releases"]
    }
    assert told["0.2.0"]["runs"]
    assert [len(told["0.2.0"][name]) for name in ("breaks", "at_risk")] == [0, 1]
    assert "it stands under a test of the version" in str(told["0.2.0"]["at_risk"])


def test_the_same_answer_twice_and_without_looking_again(
    releases: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = releases.run("window", "--format", "json").stdout
    monkeypatch.setattr("syncbot.verify.lacking.alone", None)
    monkeypatch.setattr("syncbot.verify.lacking.held_against", None)
    assert releases.run("window", "--format", "json").stdout == first


def test_a_release_that_cannot_be_installed_beside_it(releases: Project) -> None:
    releases.write({"src/plugin/worker.py": BOTH})
    needs = '[project]\nname = "engine"\nrequires-python = "<3.11"\ndependencies = ["torch==2.9.0"]\n'
    (releases.engine / "pyproject.toml").write_text(needs)
    releases.files["engine/settings.py"] = releases.files["engine/config.py"]
    releases.commit("Want an old Python")
    releases.git("tag", "v0.4.0")
    result = releases.run("window")
    row = next(line for line in result.stdout.splitlines() if line.startswith("0.4.0"))
    assert row.endswith(
        "not installable beside it: Python <3.11 (pyproject.toml:3) against Python >=3.11 (pyproject.toml:3)"
    )


def test_a_table_for_a_readme(releases: Project) -> None:
    lines = releases.run("window", "--format", "markdown", "--most", "1").stdout.splitlines()
    assert lines[0] == "| engine | breaks | at risk | first line |"
    assert [line.split("|")[1].strip() for line in lines[2:4]] == ["0.2.0", "0.3.0"]


def test_without_a_declared_window_the_last_releases_are_looked_at(releases: Project) -> None:
    settings = releases.plugin / "pyproject.toml"
    settings.write_text(settings.read_text().removeprefix(DECLARED))
    result = releases.run("window")
    assert result.exit_code == 0
    assert "no window is declared: the last releases" in result.stdout
    assert "Runs on 0.1 and 0.3" in result.stdout


def test_nothing_shows_the_upstream(releases: Project) -> None:
    (releases.plugin / "pyproject.toml").write_text('[project]\nname = "plugin"\n')
    result = releases.run("window")
    assert result.exit_code == 2
    assert "syncbot window --upstream NAME" in result.stderr
