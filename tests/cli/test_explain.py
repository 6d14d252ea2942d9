"""``syncbot explain`` on a small history: a class that moves, gains a parameter, and is renamed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Project


@pytest.fixture
def history(project: Project) -> dict[str, str]:
    shas = {}
    old, new = "engine/worker.py", "engine/run/worker.py"
    project.files["engine/run/__init__.py"] = ""
    project.files[new] = project.files.pop(old)
    shas["moved"] = project.commit("Move the worker (#7)")
    project.noise()
    project.git("tag", "v0.2.0")
    shas["changed"] = project.change(new, "config: Config):", "config: Config, rank=0):", "Add rank (#8)")
    project.change(new, "return len(batch)", "return len(batch) + 0", "Body only (#9)")
    project.git("tag", "v0.3.0")
    shas["renamed"] = project.change(new, "class Worker", "class Other", "Rename it (#10)")
    project.git("tag", "v0.4.0")
    return shas


def explained(project: Project, *args: str) -> dict[str, Any]:
    result = project.run("explain", *args, "--format", "json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize("name", ["engine.worker.Worker", "engine.run.worker.Worker"])
def test_versions_tell_names_and_signatures(project: Project, name: str) -> None:
    found = explained(project, name, "--to", "v0.3.0")
    rows = [(v["version"], v["state"]["name"], v["state"]["signature"]) for v in found["versions"]]
    assert rows == [
        ("0.1.0", "engine.worker.Worker", "(config)"),
        ("0.2.0", "engine.run.worker.Worker", "(config)"),
        ("0.3.0", "engine.run.worker.Worker", "(config, rank=0)"),
    ]


@pytest.mark.parametrize("name", ["engine.worker.Worker", "engine.run.worker.Worker"])
def test_commits_tell_who_changed_what(project: Project, history: dict[str, str], name: str) -> None:
    found = explained(project, name)
    rows = [(c["sha"], c["pr"], [x["kind"] for x in c["changes"]]) for c in found["commits"]]
    assert rows[:3] == [
        (history["renamed"], 10, ["renamed"]),
        (history["changed"], 8, ["parameter-added"]),
        (history["moved"], 7, ["moved"]),
    ]
    assert [kinds for _, _, kinds in rows[3:]] == [["added"]]
    assert found["state"]["name"] == "engine.run.worker.Other"


@pytest.mark.usefixtures("history")
def test_a_method_has_a_history_of_its_own(project: Project) -> None:
    found = explained(project, "engine.run.worker.Worker.execute", "--to", "v0.3.0")
    assert [(c["pr"], [x["kind"] for x in c["changes"]]) for c in found["commits"]] == [
        (7, ["moved"]),
        (None, ["added"]),
    ]
    assert found["state"]["signature"] == "(batch)"


@pytest.mark.usefixtures("history")
def test_the_backend_s_contracts_are_named_with_their_lines(project: Project) -> None:
    found = explained(project, "engine.worker.Worker", "--to", "v0.1.0")
    kinds = {(row["kind"], place["line"]) for row in found["contracts"] for place in row["locations"]}
    assert {("import", 3), ("subclass", 6), ("override", 11)} <= kinds
    assert not explained(project, "engine.text.split", "--to", "v0.1.0")["lanes"]


def test_text_has_equal_versions_in_one_line(project: Project, history: dict[str, str]) -> None:
    text = project.run("explain", "engine.worker.Worker", "--to", "v0.3.0").stdout
    lines = [line.split() for line in text.splitlines()]
    assert ["0.1.0", "engine.worker.Worker"] in lines
    assert ["0.2.0\N{EN DASH}", "engine.run.worker.Worker"] in lines
    assert ["0.1.0\N{EN DASH}0.2.0", "(config)"] in lines
    assert ["0.3.0\N{EN DASH}", "+", "rank=0"] in lines
    assert history["changed"][:10] in text
    assert "Body only" not in text


@pytest.mark.parametrize("subject", ["7", "#7", "sha"])
def test_a_change_is_told_by_number_or_sha(project: Project, history: dict[str, str], subject: str) -> None:
    found = explained(project, history["moved"][:10] if subject == "sha" else subject)
    assert found["sha"] == history["moved"]
    kinds = {(c["kind"], c["symbol"], c["detail"]) for c in found["changes"]}
    assert ("moved", "engine.run.worker", "from engine.worker") in kinds
    assert [(i["verdict"], i["symbol"]) for i in found["impacts"]] == [("breaks", "engine.worker")]
    assert ("import", "engine.worker.Worker") in {(r["kind"], r["symbol"]) for r in found["contracts"]}


@pytest.mark.usefixtures("history")
def test_a_change_that_meets_nothing_says_so(project: Project) -> None:
    text = project.run("explain", "9").stdout
    assert "none in the upstream's packages" in text
    assert "nothing that breaks or is at risk" in text


def test_what_is_gone_for_good_says_who_removed_it(project: Project) -> None:
    project.files["engine/text.py"] = "def clean(text: str, strict: bool = False) -> str: ...\n"
    gone = project.commit("Drop split (#5)")
    found = explained(project, "engine.text.split")
    newest = found["commits"][0]
    assert (newest["sha"], [change["kind"] for change in newest["changes"]]) == (gone, ["removed"])
    assert found["state"]["signature"] == "(text)"


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("engine.nowhere.Thing", "engine.nowhere.Thing"),
        ("4711", "(#4711)"),
        ("deadbeef", "deadbeef"),
        ("....", "has ....:"),
        ("/etc/passwd", "has /etc/passwd:"),
        ("x." * 40_000 + "x", "spell it as it is imported"),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_not_there_is_one_line(project: Project, subject: str, words: str) -> None:
    result = project.run("explain", subject)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_lanes_and_patches_that_mention_it(project: Project, history: dict[str, str]) -> None:
    project.write(
        {
            "compat_matrix.yaml": "upstream: engine\nbaseline: v0.3.0\nlanes:\n"
            "  - {tag: v0.3.0, wheel: 0.3.0, python: '>=3.10'}\n"
            "  - {tag: v0.1.0, wheel: 0.1.0, python: '>=3.10'}\n",
            "patches/one.yaml": "id: one\nupstream: {name: engine, first_version: 0.2.0}\n"
            "symbol: engine.worker.Worker\nreason: It moved.\nstatus: needs-author\n",
            "patches/two.yaml": "id: two\nupstream: {name: engine, first_version: 0.2.0}\n"
            "symbol: engine.text.clean\nreason: Workers clean.\nstatus: needs-author\n",
        }
    )
    found = explained(project, "engine.run.worker.Worker", "--to", "v0.3.0")
    assert [(lane["tag"], lane["state"]["signature"]) for lane in found["lanes"]] == [
        ("v0.3.0", "(config, rank=0)"),
        ("v0.1.0", "(config)"),
    ]
    assert [patch["id"] for patch in found["patches"]] == ["one"]
