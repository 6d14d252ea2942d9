"""``syncbot check`` says of each break what the planner says: its rewrites, or the reason why there are none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import Project


def told(project: Project) -> dict[str, tuple[str | None, str]]:
    """Kind → the rule of its fix and the reason for none, of what breaks."""
    impacts = project.check("v0.1.0")["impacts"]
    return {
        i["kind"]: (i["fix"] and i["fix"]["rule"], i["no_fix"]) for i in impacts if i["verdict"] == "breaks"
    }


def test_what_a_call_passes_by_name_goes_by_the_rule_that_names_it(project: Project) -> None:
    project.change("engine/text.py", ", strict: bool = False", "")
    assert told(project) == {"parameter-removed": ("call_argument_removed", "")}


def test_a_call_is_written_anew_where_more_changes(project: Project) -> None:
    project.change("engine/text.py", "text: str, strict: bool = False", "text: str, /")
    worker = project.plugin / "src/plugin/worker.py"
    worker.write_text(worker.read_text().replace('clean("fast", strict', 'clean(text="fast", strict'))
    changed = ("call_changed", "")
    assert told(project) == {"parameter-removed": changed, "parameter-required": changed}


def test_what_nothing_shows_has_a_reason(project: Project) -> None:
    project.change("engine/text.py", "split(text: str)", "split(text: str, sep: str)")
    assert told(project) == {
        "parameter-added": (None, "it now requires sep, and nothing shows what to pass here")
    }
    lines = project.run("check", "--from", "v0.1.0", "--engine", "contracts").stdout.splitlines()
    assert "    fix: needs-author: it now requires sep, and nothing shows what to pass here" in lines


def test_what_is_taken_and_not_used_is_told_with_its_proof(project: Project) -> None:
    project.change("engine/worker.py", "list[int]) -> int", "list[int], step: int) -> int")
    project.change("engine/worker.py", "execute([1])", "execute([1], step=0)")
    (impact,) = project.check("v0.1.0")["impacts"]
    assert impact["fix"]["rule"] == "override_parameter_added"
    assert impact["fix"]["notes"] == ["step is taken and not used"]
    assert impact["fix"]["proven"] is True
    again = project.check("v0.1.0")["impacts"]
    assert again == [impact]


def test_the_edits_are_a_diff_that_git_applies(project: Project, tmp_path: Path) -> None:
    project.change("engine/text.py", ", strict: bool = False", "")
    project.files["engine/settings.py"] = project.files.pop("engine/config.py")
    project.change("engine/worker.py", "engine.config", "engine.settings")
    plain = project.run("check", "--from", "v0.1.0", "--engine", "contracts").stdout
    shown = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--diff").stdout
    assert shown.startswith(plain.rstrip("\n"))
    start = shown.index("--- a/")
    patch = tmp_path / "edits.diff"
    patch.write_text(shown[start:], encoding="utf-8")
    subprocess.run(["git", "apply", patch], cwd=project.plugin, check=True)
    text = (project.plugin / "src/plugin/worker.py").read_text(encoding="utf-8")
    assert "from engine.settings import Config" in text
    assert 'clean("fast")' in text


def test_nothing_to_mend_has_no_diff(project: Project) -> None:
    project.noise()
    assert "---" not in project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--diff").stdout


@pytest.mark.parametrize("style", ["json", "markdown"])
def test_a_diff_is_for_the_text_alone(project: Project, style: str) -> None:
    result = project.run("check", "--from", "v0.1.0", "--diff", "--format", style)
    assert result.exit_code == 2
    assert "--diff goes with --format text" in result.stderr
