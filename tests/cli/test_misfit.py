"""A range whose older end the plugin is not made for: said first, with the version that fits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.report.test_sarif import valid

from .conftest import PLUGIN, Project

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/report.json").read_text(encoding="utf-8"))
NEW = [f"new_{number}" for number in range(4)]


@pytest.fixture
def project(project: Project) -> Project:
    """Upstream gains a module in v0.3.0, and loses a function after v0.4.0."""
    for version in ("v0.2.0", "v0.3.0", "v0.4.0", "v0.5.0rc1"):
        if version == "v0.3.0":
            project.files["engine/late.py"] = "".join(f"def {name}(): ...\n" for name in NEW)
        if version == "v0.5.0rc1":
            project.change("engine/text.py", "def split(", "def cut(")
        project.noise()
        project.git("tag", version)
    project.noise()
    return project


def use(project: Project, text: str) -> None:
    project.write({"src/plugin/late.py": text})


def report(project: Project, old: str, new: str) -> dict[str, Any]:
    found = project.check(old, "--to", new)
    jsonschema.validate(found, SCHEMA)
    return found


def test_the_nearest_version_that_fits_best_is_named_first(project: Project) -> None:
    use(project, f"from engine.late import {', '.join(NEW)}\n")
    # v0.3.0 and v0.4.0 have all; what comes after lacks what the other module imports.
    found = report(project, "v0.1.0", "main")
    names = [f"engine.late.{name}" for name in NEW]
    assert found["misfit"] == {"lacking": names, "best": "v0.3.0", "best_lacks": 0}
    words = (
        "The project is not made for v0.1.0: 4 names that it imports are not there (engine.late.new_0, "
        "engine.late.new_1, engine.late.new_2 and 1 more); v0.3.0 fits best, and lacks none."
    )
    line = ("check", "--from", "v0.1.0", "--to", "v0.4.0", "--engine", "contracts")
    assert project.run(*line).stdout.startswith(f"engine v0.1.0..v0.4.0: {words} Nothing in 3 commits")
    # From what was kept, in other formats and languages.
    for style in ("markdown", "html", "github"):
        text = project.run(*line, "--format", style).stdout.replace("\\_", "_")
        assert "The project is not made for v0.1.0" in text, style
    assert "项目不适用于 v0.1.0" in project.run(*line, "--lang", "zh").stdout
    log = json.loads(project.run(*line, "--format", "sarif").stdout)
    valid(log)
    [note] = log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == words.replace("[", "\\[")


def test_where_the_newer_end_is_too_old_as_well_no_version_is_named(project: Project) -> None:
    use(project, f"from engine.late import {', '.join(NEW)}\n")
    assert report(project, "v0.1.0", "v0.2.0")["misfit"] == {
        "lacking": [f"engine.late.{name}" for name in NEW], "best": "", "best_lacks": 0,
    }  # fmt: skip
    text = project.run("check", "--from", "v0.1.0", "--to", "v0.2.0", "--engine", "contracts").stdout
    assert "no version up to the newer end fits better. Nothing in 1 commit" in text


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from engine.late import new_0, new_1, new_2\nexcept ImportError:\n    pass\n",
        "from engine.late import new_0\n",
        "from engine.nowhere import a, b\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from engine.late import new_0, new_1, new_2\n",
        "from engine.config import Config\n",
    ],
)
def test_what_is_caught_or_that_no_version_has_counts_for_nothing(project: Project, text: str) -> None:
    """One name alone is no reason to look further than the newer end, which lacks it as well."""
    use(project, text)
    assert report(project, "v0.1.0", "v0.2.0")["misfit"] is None


def test_one_name_counts_where_the_newer_end_has_it(project: Project) -> None:
    use(project, "from engine.late import new_0\n")
    assert report(project, "v0.2.0", "v0.3.0")["misfit"] == {
        "lacking": ["engine.late.new_0"], "best": "v0.3.0", "best_lacks": 0,
    }  # fmt: skip
    assert report(project, "v0.3.0", "v0.4.0")["misfit"] is None


def test_a_plugin_for_an_older_version(project: Project) -> None:
    """The plugin's imports are missing before the range begins."""
    project.write(
        {"src/plugin/worker.py": PLUGIN["src/plugin/worker.py"].replace("clean, split", "clean, a, b, split")}
    )
    project.change("engine/text.py", "def cut(", "def a(): ...\ndef b(): ...\ndef split(")
    project.git("tag", "v0.5.0")
    project.files["engine/text.py"] = "def clean(text: str, strict: bool = False) -> str: ...\n"
    project.commit("Remove")
    project.git("tag", "v0.6.0")
    project.noise()
    found = report(project, "v0.6.0", "main")["misfit"]
    assert (found["best"], found["best_lacks"], len(found["lacking"])) == ("v0.5.0", 0, 3)


def test_tests_of_the_plugin_do_not_count(project: Project) -> None:
    project.write({"tests/test_late.py": f"from engine.late import {', '.join(NEW)}\n"})
    assert report(project, "v0.1.0", "v0.3.0")["misfit"] is None
