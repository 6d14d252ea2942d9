"""``syncbot check`` says of each break what the planner says: its rewrites, or the reason why there are none."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import syncbot.cli
from syncbot import config as configuration
from syncbot.config import Config
from syncbot.impact.session import backend_of
from syncbot.lanes.matrix import parse
from syncbot.planning.fixes import unified_diff
from syncbot.upstream.model import no_meter
from syncbot.workflows.mending_command import mending_command
from syncbot.workflows.migrate import MigrateOptions, planned
from tests.budget import tries

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
    assert "    fix: needs an author: it now requires sep, and nothing shows what to pass here" in lines


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


def last_command(project: Project) -> list[str]:
    last = project.run("check", "--from", "v0.1.0", "--engine", "contracts").stdout.splitlines()[-1]
    said, _, command = last.partition(" can be rewritten: syncbot ")
    assert said.startswith("Broken: 1 line in 1 file; ")
    return shlex.split(command)


def test_the_last_line_is_a_command_that_rewrites_or_says_what_to_write(project: Project) -> None:
    project.change("engine/text.py", ", strict: bool = False", "")
    command = last_command(project)
    assert command[0] == "migrate"
    done = CliRunner().invoke(syncbot.cli.main, [*command, "--check", "--engine", "contracts"])
    assert "1 of 1 break would be rewritten, in 1 file" in done.stdout
    project.change("engine/text.py", "split(text: str)", "split(text: str, sep: str)")
    project.change("engine/text.py", "clean(text: str)", "clean(text: str, strict: bool = False)")
    command = last_command(project)
    assert command[0] == "plan"
    assert "1 task" in CliRunner().invoke(syncbot.cli.main, command).stdout


def test_a_project_with_lanes_of_this_upstream_gets_patches_for_the_lane_or_a_trial() -> None:
    config = Config(root=Path("plugin"))
    matrix = parse(
        "schema: 1\nupstream: engine\nbaseline: v1.0.0\n"
        'lanes: [{tag: v1.0.0, wheel: 1.0.0, python: ">=3.11", sources: one}]\n'
    )

    def told(upstream: str | None, new: str) -> str:
        return mending_command(config, Path("plugin"), upstream, ("v0.8.0", new), matrix, ())

    assert told(None, "v1.0.0") == "syncbot apply --lane v1.0.0 --backend plugin"
    assert told("engine", "0c1d5e7f9a") == "syncbot apply --to 0c1d5e7f9a --backend plugin"
    assert told("motor", "v1.0.0").startswith("syncbot plan --from v0.8.0 --to v1.0.0 --upstream motor")


def test_check_says_what_a_migration_does_however_much_breaks(project: Project) -> None:
    project.change("engine/text.py", ", strict: bool = False", "")
    project.change("engine/text.py", "split(text: str)", "split(text: str, sep: str)")
    project.change("engine/worker.py", "list[int]) -> int", "list[int], step: int) -> int")
    worker = project.plugin / "src/plugin/worker.py"
    calls = "".join(
        f"def f{n}():\n    return clean(str({n}), strict=True), split(str({n}))\n"
        for n in range(tries(day=80, nightly=250))
    )
    worker.write_text(f"{worker.read_text()}\n\n{calls}")
    said = project.check("v0.1.0")["impacts"]
    config = configuration.load(project.plugin)
    options = MigrateOptions(backend=project.plugin, old="v0.1.0", engine="contracts")
    done = planned(config, options, no_meter).migration
    assert {i["id"] for i in said if i["fix"]} == {each.impact.id for each in done.rewritten}
    reasons = {i["id"]: i["no_fix"] for i in said if i["verdict"] == "breaks" and not i["fix"]}
    assert reasons == {left.impact.id: left.why for left in done.unwritten}
    assert reasons
    shown = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--diff").stdout
    assert unified_diff(backend_of(config), done.changes) in shown
