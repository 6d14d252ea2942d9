"""``check --run``: the plugin's modules and tests on both ends of a range, beside a small upstream of two
releases that a local index has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

import syncbot.cli
from syncbot.cli import options
from syncbot.verify.unbuilt_wheel import unbuilt_wheel
from tests.upstream.package_index import File, Index

from .conftest import Project
from .small_upstream import OLD, beside, changed, runner, toy, with_environments

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/report.json").read_text())
NEW = changed(
    ("'limit': 4", "'most': 4"),
    ("a + b", "b + a"),
    ("def kept", "def held"),
    ("grow(size):\n    return 2", "grow(size, by):\n    return by"),
    ("shown(self)", "shown(self, width)"),
    ("shown()", "shown(80)"),
)
PLUGIN = {
    "pyproject.toml": '[project]\nname = "plugin"\nversion = "1.5"\ndependencies = ["toy<2"]\n',
    "src/plugin/__init__.py": "from importlib.metadata import version\n\nNUMBER = version('plugin')\n",
    "src/plugin/limits.py": "from toy import core\n\nHALF = core.limit() // 2\n",
    "src/plugin/names.py": "from toy.core import kept\n\nKEPT = kept\n",
    "src/plugin/text.py": "from toy import core\n\n\ndef label(name):\n    return core.join(name, '!')\n",
}
TESTS = {
    "test_text.py": """
import plugin
from plugin.text import label

def test_a_value():
    assert label('x') == 'x!'

def test_that_always_fails():
    assert label('x') == 'y'

def test_that_always_passes():
    assert plugin.NUMBER == '1.5'
""",
    "test_other.py": """
import time
from importlib.metadata import version
from pathlib import Path

COUNT = Path({count!r})

def test_that_fails_at_its_second_run():
    COUNT.open('a').write('.')
    assert len(COUNT.read_text()) != 2

def test_that_does_not_end():
    while version('toy') == '2.0':
        pass

def test_that_sleeps():
    while version('toy') == '2.0':
        time.sleep(60)

def test_after_them():
    assert True
""",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """An index with both releases, the same for all tests: so are the environments that are made from it."""
    wheels = tmp_path_factory.mktemp("wheels")
    with Index([*toy("1.0", OLD, wheels), *toy("2.0", NEW, wheels)], others=runner()) as made:
        yield made


@pytest.fixture
def plugin(
    tmp_path: Path, alone: None, index: Index, environments: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    files = PLUGIN | {
        f"tests/{name}": text.replace("{count!r}", repr(str(tmp_path / "count")))
        for name, text in TESTS.items()
    }
    return beside(index, files, tmp_path / "plugin", environments, monkeypatch)


def run(plugin: Path, *more: str) -> Result:
    asked = (
        "--upstream",
        "toy",
        "--by",
        "releases",
        "--from",
        "1.0",
        "--to",
        "2.0",
        "--backend",
        str(plugin),
    )
    return CliRunner().invoke(syncbot.cli.main, ["check", *asked, *more])


def report(plugin: Path, *more: str) -> dict[str, Any]:
    done = run(plugin, "--run", "--format", "json", *more)
    assert done.exit_code == 1, done.output
    told: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(told, SCHEMA)
    return told


@pytest.mark.machine
def test_what_only_the_newer_end_fails(plugin: Path) -> None:
    told = report(plugin)
    by_kind = {impact["kind"]: impact for impact in told["impacts"] if impact["verdict"] == "breaks"}
    assert {kind: i["evidence"] for kind, i in by_kind.items()} == {
        "symbol-renamed": "both",
        "import-fails": "ran",
        "test-fails": "ran",
    }
    module, test = by_kind["import-fails"], by_kind["test-fails"]
    (place,) = module["locations"]
    assert (place["file"], place["line"]) == ("src/plugin/limits.py", 3)
    assert module["runs"][0]["name"] == "plugin.limits"
    assert "TypeError: unsupported operand" in module["message"]
    assert [run["name"] for run in test["runs"]] == ["tests/test_text.py::test_a_value"]
    assert (test["locations"][0]["file"], test["locations"][0]["line"]) == ("tests/test_text.py", 6)
    assert test["commit"] == told["commits"][0]["sha"]
    assert not test["tests_only"]
    both = next(i for i in told["impacts"] if i["evidence"] == "both")
    assert both["runs"][0]["name"] == "plugin.names"
    assert "ImportError: cannot import name 'kept'" in both["runs"][0]["error"]
    summary = told["run"]
    assert (summary["old"], summary["new"]) == ("toy 1.0", "toy 2.0")
    assert (summary["modules"], summary["modules_lost"]) == (4, 2)
    assert (summary["tests"], summary["compared"], summary["tests_lost"]) == (6, 6, 1)
    assert summary["flaky"] == ["tests/test_other.py::test_that_fails_at_its_second_run"]
    assert sorted(summary["hanging"]) == [
        "tests/test_other.py::test_that_does_not_end",
        "tests/test_other.py::test_that_sleeps",
    ]


CAUGHT = """
import subprocess
import sys
from plugin.scale import Mine, double, half
from toy import core

def test_what_reading_tells():
    assert core.invoke(lambda: double(2)) == (0, 4)

def test_what_upstream_calls():
    assert core.invoke(lambda: core.show(Mine())) == (0, 2)

def test_another_process():
    done = subprocess.run([sys.executable, '-c', 'from plugin.scale import *; double(2)'], capture_output=True)
    assert done.returncode == 0

def test_what_came_to_nothing_before_as_well():
    assert core.invoke(lambda: half(2)) == (1, None)
    assert core.join('x', '!') == 'x!'
"""


@pytest.mark.machine
def test_an_error_that_somebody_catches(plugin: Path) -> None:
    for file in (plugin / "tests").iterdir():
        file.unlink()
    (plugin / "src/plugin/scale.py").write_text(
        "from toy import core\n\n\ndef double(n):\n    return core.grow(n)\n\n\n"
        "def half(n):\n    return core.join(n)\n\n\n"
        "class Mine(core.Base):\n    def shown(self):\n        return 2\n"
    )
    (plugin / "tests/test_caught.py").write_text(CAUGHT)
    told = report(plugin)
    required, passed = (
        next(i for i in told["impacts"] if i["symbol"] == f"toy.core.{name}")
        for name in ("grow", "Base.shown")
    )
    for impact in (required, passed):
        assert (impact["verdict"], impact["evidence"]) == ("breaks", "both")
    runs = {run["name"].rpartition("::")[2]: run for run in required["runs"]}
    assert {*runs} == {"test_what_reading_tells", "test_another_process"}
    assert {run["error"] for run in runs.values()} == {
        "TypeError: grow() missing 1 required positional argument: 'by'"
    }
    place = runs["test_what_reading_tells"]["place"]
    assert (place["file"], place["line"]) == ("src/plugin/scale.py", 5)
    (shown,) = passed["runs"]
    assert shown["error"] == "TypeError: Mine.shown() takes 1 positional argument but 2 were given"
    (other,) = (i for i in told["impacts"] if i["kind"] == "test-fails")
    assert other["message"].endswith("the test fails: AssertionError: assert '!x' == 'x!'")


@pytest.mark.machine
def test_the_same_wrong_result_in_several_tests(plugin: Path) -> None:
    for name in ("test_text.py", "test_other.py"):
        (plugin / "tests" / name).write_text(
            "from plugin.text import label\n\n\ndef test_it():\n    assert label('x') == 'x!'\n\n\n"
            f"def test_the_name():\n    assert label({name!r}) == {name!r} + '!'\n"
        )
    found = [i for i in report(plugin)["impacts"] if i["kind"] == "test-fails"]
    assert sorted(len(i["runs"]) for i in found) == [1, 1, 2]
    several = next(i for i in found if len(i["runs"]) == 2)
    assert [at["file"] for at in several["locations"]] == ["tests/test_other.py", "tests/test_text.py"]
    assert "the test fails, and 1 more so: AssertionError: assert '!x' == 'x!'" in several["message"]


@pytest.mark.machine
def test_the_same_answer_twice_in_every_format(plugin: Path) -> None:
    (plugin / "tests/test_other.py").unlink()
    first = report(plugin)
    assert report(plugin) == first
    text = run(plugin, "--run").stdout
    assert "read and ran: module plugin.names no longer imports: ImportError" in text
    assert "3 tests" not in text
    assert "2 tests pass on the older end; of 2 run on the newer, 1 fail" in text
    assert "read and ran" in run(plugin, "--run", "--format", "markdown").stdout
    assert "read and ran" in run(plugin, "--run", "--format", "html").stdout
    assert "阅读与运行均可见" in run(plugin, "--run", "--format", "markdown", "--lang", "zh").stdout
    sarif = json.loads(run(plugin, "--run", "--format", "sarif").stdout)
    shown = {each["properties"]["evidence"] for each in sarif["runs"][0]["results"]}
    assert {"both", "ran"} <= shown


def test_without_the_option_nothing_runs(plugin: Path) -> None:
    told = json.loads(run(plugin, "--format", "json").stdout)
    assert told["run"] is None
    assert {impact["evidence"] for impact in told["impacts"]} == {"read"}
    assert not (plugin.parent / "count").exists()


@pytest.mark.machine
def test_a_plugin_without_tests(plugin: Path) -> None:
    for file in (plugin / "tests").iterdir():
        file.unlink()
    told = report(plugin)["run"]
    assert (told["files"], told["tests"], told["modules_lost"]) == (0, 0, 2)
    assert "The plugin has no tests: only imports were run." in run(plugin, "--run").stdout


@pytest.mark.machine
def test_a_file_of_tests_that_cannot_be_imported(plugin: Path) -> None:
    (plugin / "tests/test_other.py").write_text("import ddt_of_nobody\n")
    run_of_it = report(plugin)["run"]
    assert (run_of_it["files"], run_of_it["tests"]) == (2, 2)
    assert run_of_it["notes"][-1] == (
        "On the older end, files of tests cannot be imported (1), such as tests/test_other.py: "
        "ModuleNotFoundError: No module named 'ddt_of_nobody'."
    )


@pytest.mark.machine
def test_a_budget_that_is_used_up(plugin: Path, environments: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(options._SECONDS, "s", 0.01)
    # What is known already costs nothing.
    monkeypatch.setenv("SYNCBOT_CACHE", str(with_environments(environments, plugin.parent / "cache")))
    (plugin / "tests/test_other.py").write_text("def test_it():\n    assert True\n")
    told = report(plugin, "--budget", "1s")["run"]
    # What imports what changed comes first.
    assert (told["files"], told["files_left"], told["tests"]) == (2, 1, 2)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--budget", "10m"), "--budget is of the tests that --run runs"),
        (("--run", "--budget", "soon"), "'soon' is no time: write it as 90s, 10m or 1h"),
    ],
)
def test_wrong_questions(plugin: Path, asked: tuple[str, ...], said: str) -> None:
    done = run(plugin, *asked)
    assert done.exit_code == 2
    assert said in done.output


def test_without_the_network(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCBOT_CACHE", str(plugin.parent / "cache"))
    assert run(plugin).exit_code == 1
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    done = run(plugin, "--run")
    assert done.exit_code == 3
    assert done.stderr.strip().count("\n") == 0


@pytest.mark.machine
def test_commits_that_are_no_releases(
    project: Project, alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = {path: text.encode() for path, text in project.files.items()}
    about = b"Metadata-Version: 2.1\nName: engine\nVersion: 0.1.0\n"
    held |= {"PKG-INFO": about, "engine.egg-info/top_level.txt": b"engine\n", "engine/data.txt": b"data"}
    wheel = unbuilt_wheel(held, "engine", "0.1.0", {}, (), tmp_path / "wheels")
    project.change("engine/text.py", "return text, text", "return text, text[1:]", "Split otherwise (#4)")
    project.write(
        {
            "tests/test_split.py": """
from pathlib import Path
import engine
from engine.text import split

def test_split():
    assert split("ab") == ("ab", "ab")

def test_data():
    assert Path(engine.__file__).with_name("data.txt").read_text() == "data"
"""
        }
    )
    others = {"engine": [File(wheel.name, wheel.read_bytes())]} | runner()
    with Index(others=others) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        told = project.check("v0.1.0", "--run")
        commit = told["commits"][0]["sha"]
        assert told["run"]["old"] == "engine 0.1.0"
        assert told["run"]["new"] == f"engine 0.1.0 with the Python files of {commit[:10]}"
        assert (told["run"]["tests"], told["run"]["tests_lost"]) == (2, 1)
        (lost,) = (i for i in told["impacts"] if i["evidence"] == "ran")
        assert (lost["commit"], lost["pr"]) == (commit, 4)
        done = project.run("check", "--from", "v0.1.0", "--run", "--upstream", str(project.engine))
        assert done.exit_code == 1
        others.pop("engine")
        index.others.pop("engine", None)
        done = project.run("check", "--from", "v0.1.0", "--run")
        assert done.exit_code == 2
        assert "has no distribution 'engine'" in done.stderr
