"""Reports of ``syncbot check``: on each commit, on several upstreams, and on a backend in a subfolder."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from .conftest import Project

TEST = "from plugin.worker import FastWorker\n"


def commit(report: dict[str, Any], subject: str) -> dict[str, Any]:
    found: dict[str, Any] = next(c for c in report["commits"] if c["subject"] == subject)
    return found


def test_facts_risks_and_advice_of_a_breaking_commit(project: Project) -> None:
    engine = (project.plugin / "pyproject.toml").read_text(encoding="utf-8")
    kinds = '[tool.syncbot]\nkinds_page = "https://example.org/kinds.md"\n'
    project.write({"tests/test_worker.py": TEST, "pyproject.toml": kinds + engine})
    project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#7)")
    project.noise()
    report = project.check("v0.1.0")
    guilty = commit(report, "Drop strict (#7)")
    assert (guilty["level"], guilty["level_for_us"]) == ("medium", "high")
    (fact,) = [f for f in guilty["facts"] if f["kind"] == "signature"]
    assert (fact["before"], fact["after"]) == ("clean(text, strict=False)", "clean(text)")
    assert fact["parts"] == [{"what": "removed", "name": "strict"}]
    assert fact["breaking"]
    assert {(a["kind"], a["command"]) for a in guilty["advice"]} >= {("test", "pytest tests/test_worker.py")}
    noise = commit(report, "Add noise")
    assert (noise["level_for_us"], noise["advice"]) == (None, [])
    assert [f["kind"] for f in noise["facts"]] == ["module-added"]
    text = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--format", "markdown").stdout
    assert "`clean(text, strict=False)` is now `clean(text)`: `clean` in `engine/text.py`." in text
    assert "`clean` in `engine/text.py` (removed: `strict`)" in text
    assert "`pytest tests/test_worker.py`" in text
    assert "([parameter-removed](https://example.org/kinds.md#parameter-removed))" in text


def test_a_second_look_gives_the_same(project: Project) -> None:
    project.change("engine/worker.py", "def main", "def start")
    assert project.check("v0.1.0") == project.check("v0.1.0")


def test_who_used_what_is_gone_and_where_we_spell_a_changed_variable(project: Project) -> None:
    read = 'import os\n\nSIZE = os.environ.get("ENGINE_SIZE", "1")\n'
    project.files["engine/envs.py"] = read
    project.files["engine/user.py"] = "from engine.text import split\n"
    old = project.commit("Read a variable")
    project.write({"src/plugin/size.py": 'KEY = "ENGINE_SIZE"\n'})
    project.files["engine/envs.py"] = read.replace('"1"', '"2"')
    project.files["engine/text.py"] = project.files["engine/text.py"].partition("\n\n\ndef split")[0] + "\n"
    project.commit("Change both")
    found = commit(project.check(old), "Change both")
    assert found["mentions"] == [
        {"name": "ENGINE_SIZE", "file": "src/plugin/size.py", "line": 1, "column": 8}
    ]
    (gone,) = [f for f in found["facts"] if f["kind"] == "function-removed"]
    assert (gone["symbol"], gone["users"]) == ("engine.text.split", ["engine.user"])


def test_several_upstreams_in_one_report(project: Project) -> None:
    project.write({
        "pyproject.toml": """
            [tool.syncbot.upstreams.engine]
            packages = ["engine"]
            git = "../engine"
            [tool.syncbot.upstreams.motor]
            packages = ["engine"]
            git = "../engine"
        """
    })  # fmt: skip
    project.change("engine/text.py", ", strict: bool = False", "")
    result = project.run(
        "check", "--all-upstreams", "--from", "v0.1.0", "--engine", "contracts", "--format", "json"
    )
    assert result.exit_code == 1, result.output
    reports = json.loads(result.stdout)["reports"]
    assert [r["upstream"]["name"] for r in reports] == ["engine", "motor"]
    wrong = project.run("check", "--all-upstreams", "--upstream", "engine", "--from", "v0.1.0")
    assert (wrong.exit_code, "give one of them" in wrong.stderr) == (2, True)


def test_paths_for_github_begin_at_the_root_of_the_repository(project: Project) -> None:
    subprocess.run(["git", "init", "--quiet", str(project.root)], check=True)
    project.change("engine/text.py", ", strict: bool = False", "")
    result = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--format", "github")
    assert result.stdout.startswith("::error file=plugin/src/plugin/worker.py,line=9,")


def test_a_period_without_commits_is_named_in_the_configured_zone(project: Project) -> None:
    zone = '[tool.syncbot]\ntimezone = "Asia/Shanghai"\n'
    text = (project.plugin / "pyproject.toml").read_text(encoding="utf-8")
    project.write({"pyproject.toml": zone + text})
    times = ("--since", "2030-01-01", "--until", "2030-01-02T06:00:00+00:00")
    found = project.run("check", *times, "--engine", "contracts")
    assert (found.exit_code, found.stdout) == (
        0,
        "engine 2030-01-01 00:00..2030-01-02 14:00: No commits between 2030-01-01 00:00 and 2030-01-02 14:00.\n",
    )
    found = project.run("check", *times, "--engine", "contracts", "--format", "markdown", "--lang", "zh")
    assert "**2030-01-01 00:00 与 2030-01-02 14:00 之间没有提交。**" in found.stdout
    assert len(found.stdout.splitlines()) < 12
