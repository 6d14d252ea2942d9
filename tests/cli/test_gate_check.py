"""``syncbot gate check``: one tree of a plugin against two upstream trees, gates decided for each."""

from __future__ import annotations

import json

import pytest

from .conftest import Project

GUARDED = """
from plugin.versions import up_is

if up_is("0.1.0"):
    from engine.config import Config
else:
    from engine.settings import Config

mine = Config()
"""


@pytest.fixture
def moved(project: Project) -> Project:
    """Upstream's main has moved a module; the plugin has a test of the version, and code for both."""
    project.move_a_module()
    head = (
        "[tool.syncbot]\ngate = 'up_is(\"{version}\")'\ngate_import = 'from plugin.versions import up_is'\n"
    )
    settings = project.plugin / "pyproject.toml"
    settings.write_text(head + settings.read_text())
    project.write(
        {
            "src/plugin/versions.py": "def up_is(version: str) -> bool:\n    return True\n",
            "src/plugin/worker.py": GUARDED,
        }
    )
    return project


TREES = ("--trees", "release=v0.1.0,main=main")


def test_code_behind_a_gate_is_judged_on_its_own_tree_alone(moved: Project) -> None:
    result = moved.run("gate", "check", *TREES)
    assert result.exit_code == 0, result.output
    assert [line.split(" (")[0] for line in result.stdout.splitlines()] == ["release", "main"]


@pytest.mark.parametrize("style", ["text", "json", "flow"])
def test_without_a_configured_gate_it_says_once_that_no_test_is_known(moved: Project, style: str) -> None:
    gated = moved.run("gate", "check", *TREES, "--format", style)
    assert (gated.exit_code, gated.stderr) == (0, "")
    settings = moved.plugin / "pyproject.toml"
    settings.write_text("\n".join(line for line in settings.read_text().splitlines() if "gate" not in line))
    result = moved.run("gate", "check", *TREES, "--format", style)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "no test of versions is known" in result.stderr
    assert "set gate in [tool.syncbot]" in result.stderr
    assert "no test of versions" not in result.stdout


def test_an_unguarded_import_of_a_name_that_one_tree_has_is_found_on_the_other(moved: Project) -> None:
    moved.write({"src/plugin/late.py": "from engine.settings import Config\n\nlate = Config()\n"})
    result = moved.run("gate", "check", *TREES, "--format", "flow")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["all_passed"] is False
    release, main = told["checks"]
    assert (release["name"], main["name"]) == ("contracts-release", "contracts-main")
    assert [line.split(": ")[0] for line in release["violations"]] == ["src/plugin/late.py:1:1"]
    assert main["violations"] == []


def test_what_one_tree_alone_does_not_keep_comes_first_and_is_counted(moved: Project) -> None:
    texts = ("from engine.gone import early\n", "from engine.settings import Config\n\nlate = Config()\n")
    moved.write({f"src/plugin/{name}.py": text for name, text in zip("ab", texts, strict=True)})
    told = moved.run("gate", "check", *TREES).stdout.splitlines()
    assert [line.split(" (")[-1].partition(")")[2] for line in told if not line.startswith("  ")] == [
        ": 2 violations, 1 not on every tree",
        ": 1 violation",
    ]
    assert [line.split(":")[0].strip() for line in told[1:3]] == ["src/plugin/b.py", "src/plugin/a.py"]
    release, main = json.loads(moved.run("gate", "check", *TREES, "--format", "json").stdout)["trees"]
    assert [v["alone"] for v in release["violations"]] == [False, True]
    assert [v["alone"] for v in main["violations"]] == [False]


SHIFTED = """
from engine.text import clean

said = clean("a", True)
"""


def test_a_value_that_shifts_to_another_parameter_is_found_where_it_does(moved: Project) -> None:
    moved.change(
        "engine/text.py", "strict: bool = False", "tail: str = '', strict: bool = False", "More (#8)"
    )
    moved.write({"src/plugin/worker.py": GUARDED, "src/plugin/say.py": SHIFTED})
    result = moved.run("gate", "check", *TREES, "--format", "json")
    assert result.exit_code == 1
    release, main = json.loads(result.stdout)["trees"]
    assert release["violations"] == [] == [v for v in main["violations"] if not v["alone"]]
    (found,) = main["violations"]
    assert (found["file"], found["line"]) == ("src/plugin/say.py", 3)
    assert "tail" in found["message"]
    assert found["message"].endswith("(held against release)")


def test_a_value_that_shifts_is_none_where_a_gate_has_both_calls(moved: Project) -> None:
    moved.change(
        "engine/text.py", "strict: bool = False", "tail: str = '', strict: bool = False", "More (#8)"
    )
    gated = SHIFTED.replace(
        'clean("a", True)', 'clean("a", True) if up_is("0.1.0") else clean("a", "", True)'
    )
    text = f"from plugin.versions import up_is\n{gated}"
    moved.write({"src/plugin/worker.py": GUARDED, "src/plugin/say.py": text})
    result = moved.run("gate", "check", *TREES)
    assert result.exit_code == 0, result.output


def test_a_gate_the_wrong_way_round_is_found_on_both(moved: Project) -> None:
    moved.write({"src/plugin/worker.py": GUARDED.replace('if up_is("0.1.0")', 'if not up_is("0.1.0")')})
    result = moved.run("gate", "check", *TREES, "--format", "json")
    assert result.exit_code == 1
    trees = json.loads(result.stdout)["trees"]
    assert [[v["line"] for v in tree["violations"]] for tree in trees] == [[6], [4]]


@pytest.mark.parametrize("name", [("gate", "check"), ("gate-check",)])
def test_its_help_has_the_name_that_was_asked_for(project: Project, name: tuple[str, ...]) -> None:
    assert f"Usage: syncbot {' '.join(name)} [OPTIONS]" in project.run(*name, "--help").output


@pytest.mark.parametrize("words", [("gate", "checks"), ("check", "gate"), ("gate", "--check", "check")])
def test_other_words_after_a_command_are_its_own(project: Project, words: tuple[str, ...]) -> None:
    result = project.run(*words)
    assert result.exit_code == 2
    assert f"(see 'syncbot {words[0]} --help')" in result.output


@pytest.mark.parametrize("words", ["main", "main=", "=v1", "a=v0.1.0,a=main", "a=v0.1.0,"])
def test_words_that_name_no_tree_are_refused(project: Project, words: str) -> None:
    result = project.run("gate", "check", "--trees", words)
    assert result.exit_code == 2
    assert "names no tree: --trees main=HEAD,release=v0.31.0" in result.output


def test_an_unknown_reference_is_refused_in_one_line(project: Project) -> None:
    result = project.run("gate", "check", "--trees", "a=v9.9.9")
    assert result.exit_code == 2
    assert "v9.9.9" in result.output
    assert len(result.output.strip().splitlines()) == 1
