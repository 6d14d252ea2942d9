"""``syncbot contracts``: what the backend relies on, as text and as JSON."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from click.testing import CliRunner

import syncbot.cli

from .conftest import Project


def listed(project: Project, *args: str) -> str:
    result = CliRunner().invoke(syncbot.cli.main, ["contracts", str(project.plugin), *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def document(project: Project, *args: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(listed(project, "--format", "json", *args))
    assert found["total"] == sum(found["kinds"].values()) == sum(found["modules"].values())
    return found


def test_json_names_every_reliance_and_its_lines(project: Project) -> None:
    found = document(project)
    rows = {
        (row["kind"], row["symbol"]): [(p["file"], p["line"]) for p in row["locations"]]
        for row in found["contracts"]
    }
    worker = "src/plugin/worker.py"
    assert rows[("import", "engine.config.Config")] == [(worker, 1)]
    assert rows[("import", "engine.text.clean")] == [(worker, 2)]
    assert rows[("call", "engine.text.clean")] == [(worker, 9)]
    assert rows[("call", "engine.text.split")] == [(worker, 12)]
    assert rows[("override", "engine.worker.Worker.execute")] == [(worker, 11)]
    assert [line for (kind, _), at in rows.items() if kind == "subclass" for _, line in at] == [6]
    assert set(found["modules"]) == {"engine.config", "engine.text", "engine.worker"}


def test_text_counts_kinds_and_modules(project: Project) -> None:
    text, found = listed(project), document(project)
    assert text.splitlines()[0].startswith(f"{found['total']} contracts with ")
    for name, count in {**found["kinds"], **found["modules"]}.items():
        assert f"{count:6} {name}" in text.splitlines()
    assert "worker.py" not in text


def test_a_symbol_narrows_the_list_to_it_and_what_is_below(project: Project) -> None:
    text = listed(project, "--symbol", "engine.text")
    assert "engine.text.clean (call): src/plugin/worker.py:9" in text.splitlines()
    assert "engine.config" not in text
    symbols = {row["symbol"] for row in document(project, "--symbol", "engine.text")["contracts"]}
    assert symbols == {"engine.text.clean", "engine.text.split"}
    assert document(project, "--symbol", "engine.worker.main") == {
        "total": 0, "kinds": {}, "modules": {}, "contracts": [], "objects": [], "unknown": [],
        "unanalysed": [],
    }  # fmt: skip


def test_at_another_version_other_names_are_known(project: Project) -> None:
    project.files.pop("engine/text.py")
    project.commit("Drop text")
    project.git("tag", "v0.2.0")
    kinds = {v: document(project, "--at", v)["kinds"] for v in ("v0.1.0", "v0.2.0")}
    assert kinds["v0.1.0"]["call"] > kinds["v0.2.0"].get("call", 0)
    assert document(project) == document(project, "--at", "0.2.0")
    assert "engine.text" not in document(project)["modules"]


def test_files_that_could_not_be_analysed_are_told(project: Project) -> None:
    assert "not analysed" not in listed(project)
    (project.plugin / os.fsdecode(b"src/plugin/caf\xe9.py")).write_text("import engine.config\n")
    (project.plugin / "src/plugin/torn.py").write_text("import engine.config\nx = (\n")
    odd, torn = document(project)["unanalysed"]
    assert odd == {"file": r"src/plugin/caf\xe9.py", "reason": "its name is not UTF-8"}
    assert (torn["file"], torn["reason"][:12]) == ("src/plugin/torn.py", "syntax error")
    assert listed(project).splitlines()[1:4] == [
        *(f"not analysed: {each['file']}: {each['reason']}" for each in (odd, torn)), ""
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--at", "9.9"), "no commit '9.9'"),
        (("--upstream", "engin"), "'engin' is neither"),
        (
            ("--symbol", "engine.tex"),
            "upstream has no engine.tex: the nearest that is relied on is engine.text",
        ),
        (("--format", "yaml"), "'yaml' is not one of"),
    ],
)
def test_wrong_use_is_one_line(project: Project, args: tuple[str, ...], words: str) -> None:
    result = CliRunner().invoke(syncbot.cli.main, ["contracts", str(project.plugin), *args])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert words in result.stderr


def test_a_missing_backend_is_one_line(project: Project) -> None:
    result = CliRunner().invoke(syncbot.cli.main, ["contracts", str(project.root / "nowhere")])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)


def test_what_could_not_be_judged_is_listed(project: Project) -> None:
    (project.plugin / "src/plugin/loose.py").write_text("def f(x):\n    return x.size\n", encoding="utf-8")
    (project.plugin / "src/plugin/bad.py").write_text("def (\n", encoding="utf-8")
    lines = listed(project, "--unjudged").splitlines()
    assert lines[:2] == ["1 files", "  src/plugin/bad.py: syntax error in line 1: invalid syntax"]
    assert lines[2:] == [
        "1 objects without a known class", "  src/plugin/loose.py:2: x",
        "0 imports of what cannot be seen upstream",
    ]  # fmt: skip
    assert document(project)["objects"][0]["symbol"] == "x"
