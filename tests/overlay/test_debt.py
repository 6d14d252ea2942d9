from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import Result

from syncbot.impact.trees import Trees
from syncbot.verify import static_check
from syncbot.verify.static_check import Problem
from tests.upstream.package_index import Index

from .conftest import plugin, release

OWES = "from toy.base import never\n"


@pytest.fixture
def indebted(run: Callable[..., Result], index: Index, tmp_path: Path) -> Path:
    """An overlay of a package that imports what does not exist, with two newer lanes."""
    index.others["some-plugin"] = [plugin("1.0.0rc2", **{"some_plugin/owes.py": OWES})]
    made = run(
        *("overlay", "new", "--package", "some-plugin==1.0.0rc2", "--upstream", "toy"),
        *("--lane", "2.0.0", "--lane", "3.0.0"),
    )
    assert made.exit_code == 0, made.output
    return tmp_path / "overlay"


def entries(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = yaml.safe_load((folder / "debt.yaml").read_text())["findings"]
    return found


def test_lanes_are_held_against_what_the_package_owes(indebted: Path, run: Callable[..., Result]) -> None:
    assert run("verify", "--static", "--lane", "v1.0.0").exit_code == 1
    assert "1 finding of the package itself is recorded" in run("overlay", "debt").output
    (entry,) = entries(indebted)
    assert (entry["kind"], entry["place"]) == ("contract", "some_plugin/owes.py:1")
    assert entry["message"] == "toy.base.never does not exist"
    alone = run("verify", "--static", "--lane", "v1.0.0")
    assert alone.exit_code == 0
    assert "1 finding is of the package itself: debt.yaml" in alone.output
    beyond = run("verify", "--static", "--lane", "v2.0.0")
    assert beyond.exit_code == 1
    assert "never" not in beyond.output
    assert "spec" in beyond.output
    assert run("apply").exit_code == 0
    assert run("verify", "--static").exit_code == 0


def test_an_entry_expires_with_the_finding_and_reasons_stay(
    indebted: Path, run: Callable[..., Result], index: Index
) -> None:
    assert run("overlay", "debt").exit_code == 0
    file = indebted / "debt.yaml"
    (entry,) = entries(indebted)
    file.write_text(file.read_text() + "    reason: nobody imports it\n    right: false\n")
    assert "1 finding of the package itself is recorded\n" in run("overlay", "debt").output
    assert entries(indebted)[0] == {**entry, "reason": "nobody imports it", "right": False}
    file.write_text(file.read_text().replace(str(entry["id"]), "0123456789"))
    assert run("verify", "--static", "--lane", "v1.0.0").exit_code == 1
    assert "; 1 are there no more" in run("overlay", "debt").output
    assert [each["id"] for each in entries(indebted)] == [entry["id"]]


def test_a_finding_of_a_lane_is_accepted_by_its_id_until_upstream_changes(
    indebted: Path, run: Callable[..., Result], index: Index
) -> None:
    index.files[-1] = release("3.0.0", ", spec=None, more=0", "spec=1")
    assert run("overlay", "debt").exit_code == 0
    (line,) = run("overlay", "debt", "--lane", "v2.0.0").output.splitlines()
    name = line.split()[0]
    assert "some_plugin/mine.py:5" in line
    done = run("overlay", "debt", "--lane", "v2.0.0", "--accept", name, "--reason", "run() is never called")
    assert (done.exit_code, done.output) == (0, "")
    assert run("verify", "--static", "--lane", "v2.0.0").exit_code == 0
    assert [each.get("reason") for each in entries(indebted)] == ["run() is never called", None]
    later = run("verify", "--static", "--lane", "v3.0.0")
    assert later.exit_code == 1
    assert f"(debt {name} until upstream changed it)" in later.output


def test_what_a_static_check_found_is_not_looked_for_again(
    indebted: Path, run: Callable[..., Result], index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    found = static_check.problems

    def problems(trees: Trees, baseline: str, lane: str) -> tuple[Problem, ...]:
        looked.append(lane)
        return found(trees, baseline, lane)

    monkeypatch.setattr("syncbot.verify.static_check.problems", problems)
    static = ["verify", "--static", "--lane", "v2.0.0"]
    first = run(*static)
    assert (first.exit_code, len(looked)) == (1, 1)
    lines = run("overlay", "debt", "--lane", "v2.0.0").output.splitlines()
    assert run("overlay", "debt", "--lane", "v2.0.0", "--accept", lines[0].split()[0]).exit_code == 0
    again = run(*static)
    assert len(looked) == 1
    assert again.output.splitlines()[0] == "v2.0.0  static  fail (known)"
    assert len(again.output.splitlines()) == len(first.output.splitlines())
    assert run(*static, "--force").output == again.output.replace(" (known)", "")
    assert len(looked) == 2
    # Other sources, and another configuration, are another question.
    settings = indebted / "syncbot.toml"
    settings.write_text(f"device_apis = ['a.']\n{settings.read_text()}")
    run(*static)
    assert run("apply", "--lane", "v2.0.0").exit_code == 0
    assert "known" not in run(*static).output
    assert len(looked) == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--lane", "v2.0.0", "--accept", "nothing"], "lane v2.0.0 has no finding nothing"),
        (["--lane", "v9.0.0"], "no lane 'v9.0.0'"),
        (["--accept", "x"], "name it with --lane"),
    ],
)
def test_wrong_use_is_one_line(
    indebted: Path, run: Callable[..., Result], options: list[str], said: str
) -> None:
    done = run("overlay", "debt", *options)
    assert (done.exit_code, said in done.output) == (2, True), done.output


def test_a_project_of_ones_own_owes_nothing(run: Callable[..., Result]) -> None:
    Path("pyproject.toml").write_text(
        "[tool.syncbot]\nbackend = '.'\n[tool.syncbot.project]\npackage = 'mine'\n"
        "[tool.syncbot.upstreams.toy]\npackages = ['toy']\nrelease = 'toy'\n"
    )
    Path("mine").mkdir()
    Path("mine/__init__.py").write_text("")
    Path("compat_matrix.yaml").write_text(
        'upstream: toy\nbaseline: v1.0.0\nlanes:\n  - {tag: v1.0.0, wheel: 1.0.0, python: ">=3.10"}\n'
    )
    done = run("overlay", "debt")
    assert done.exit_code == 2
    assert "is no overlay" in done.output


def test_what_is_accepted_makes_the_static_check_stale_and_its_reason_does_not(
    indebted: Path, run: Callable[..., Result]
) -> None:
    assert run("overlay", "debt").exit_code == 0
    assert run("verify", "--static", "--lane", "v1.0.0").exit_code == 0
    file = indebted / "debt.yaml"
    file.write_text(file.read_text() + "    reason: nobody imports it\n")
    assert "v1.0.0" not in run("matrix", "--stale").output
    file.write_text("findings: []\n")
    assert "v1.0.0  static  stale" in run("matrix", "--stale").output
    again = run("verify", "--static", "--stale", "--lane", "v1.0.0")
    assert again.exit_code == 1, again.output
    assert "v1.0.0" not in run("matrix", "--stale").output
