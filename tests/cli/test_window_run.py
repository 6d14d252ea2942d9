"""``window --run``: a project's modules and tests beside each release of a small upstream."""

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
from syncbot.running import commands
from tests.upstream.package_index import Index

from .conftest import Project
from .small_upstream import OLD, beside, changed, runner, toy, with_environments

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/window.json").read_text())
PLUGIN = {
    "pyproject.toml": '[project]\nname = "plugin"\nversion = "1.5"\ndependencies = ["toy>=1.0,<2"]\n',
    "plugin/__init__.py": "",
    "plugin/limits.py": "from toy import core\n\nHALF = core.limit() // 2\n",
    "plugin/names.py": "from toy import core\n\n\ndef one():\n    return core.kept()\n",
    "plugin/text.py": "from toy import core\n\n\ndef label(name):\n    return core.join(name, '!')\n",
    "tests/test_a.py": """
from plugin.text import label
from toy import core

def test_a_value():
    assert label('x') == 'x!'

def test_that_fails_everywhere():
    assert label('x') == 'y'

def test_what_itself_asks_upstream():
    assert core.grow(1) == 2
""",
    "tests/test_b.py": "def test_of_nothing():\n    assert True\n",
    "tests/test_c.py": "import package_of_nobody\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """An index with releases that each lack something else."""
    wheels = tmp_path_factory.mktemp("wheels")
    files = [
        *toy("1.0", OLD, wheels),
        *toy("1.1", changed(("'limit': 4", "'most': 4"), ("a + b", "b + a")), wheels),
        *toy("1.2", changed(("def kept", "def held"), ("def grow", "def swell")), wheels),
        *toy("1.3", OLD, wheels, "Requires-Dist: package-of-nobody\n"),
        *toy("1.4", changed(("def join", "def glue")), wheels),
    ]
    with Index(files, others=runner()) as made:
        yield made


@pytest.fixture
def plugin(
    tmp_path: Path, alone: None, index: Index, environments: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    return beside(index, PLUGIN, tmp_path / "plugin", environments, monkeypatch)


def window(plugin: Path, *more: str) -> Result:
    asked = ("--upstream", "toy", "--backend", str(plugin))
    return CliRunner().invoke(syncbot.cli.main, ["window", *asked, *more])


def told(plugin: Path, *more: str, code: int = 1) -> dict[str, Any]:
    done = window(plugin, "--run", "--format", "json", *more)
    assert done.exit_code == code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


@pytest.mark.machine
def test_what_reading_tells_what_running_tells_and_what_both(plugin: Path) -> None:
    found = told(plugin)
    releases = {each["version"]: each for each in found["releases"]}
    shown_by = {version: each["shown_by"] for version, each in releases.items()}
    assert shown_by == {"1.0": None, "1.1": "ran", "1.2": "read", "1.3": None, "1.4": "both"}
    ran = releases["1.1"]["ran"]
    assert (ran["modules"], ran["modules_lost"], ran["tests"], ran["tests_lost"]) == (3, 1, 2, 1)
    module, test = ran["failures"]
    assert (module["what"], module["name"]) == ("module", "plugin.limits")
    assert (module["place"]["file"], module["place"]["line"]) == ("plugin/limits.py", 3)
    assert module["error"].startswith("TypeError: unsupported operand")
    assert (test["name"], test["place"]["line"]) == ("tests/test_a.py::test_a_value", 6)
    # What a test itself asks of upstream is no word about the project.
    read = releases["1.2"]["ran"]
    assert (read["tests"], read["tests_lost"], read["failures"]) == (2, 1, [])
    assert [each["name"] for each in read["uncounted"]] == ["tests/test_a.py::test_what_itself_asks_upstream"]
    (both,) = releases["1.4"]["ran"]["failures"]
    assert (both["place"]["file"], both["place"]["line"]) == ("plugin/text.py", 5)
    refused = releases["1.3"]
    assert refused["runs"]
    assert "package-of-nobody" in refused["ran"]["not_installed"]
    own = {each["name"]: each["error"] for each in found["run"]["own"]}
    assert own == {
        "tests/test_a.py::test_that_fails_everywhere": "AssertionError: assert 'x!' == 'y'",
        "tests/test_c.py": "ModuleNotFoundError: No module named 'package_of_nobody'",
    }
    assert found["requirement"] == "toy>=1.0,<1.4,!=1.1.*,!=1.2.*"


@pytest.mark.machine
def test_the_table_and_the_same_answer_twice(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = window(plugin, "--run")
    lines = first.stdout.splitlines()
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in lines[2:8]}
    assert rows["release"] == "breaks at risk ran shown by first line"
    assert rows["1.0"] == "0 0 imports 4 of 4, tests 3 of 3"
    assert rows["1.1"].startswith(
        "0 0 imports 3 of 4, tests 2 of 3 ran plugin/limits.py:3: module plugin.limits fails: TypeError: "
    )
    assert rows["1.2"] == (
        "1 0 imports 4 of 4, tests 2 of 3 read plugin/names.py:5: toy.core.kept no longer exists; it is now "
        "toy.core.held (held against 1.4)"
    )
    assert rows["1.3"].startswith("0 0 not installed cannot be installed: cannot install toy==1.3")
    assert rows["1.4"] == (
        "1 0 imports 4 of 4, tests 2 of 3 both plugin/text.py:5: toy.core.join no longer exists; it is "
        "now toy.core.glue (held against 1.3); test "
        "tests/test_a.py::test_a_value fails: AttributeError: module 'toy.core' has no attribute 'join'"
    )
    assert "Declared, and does not run: 1.1, 1.2, 1.4" in lines
    (own,) = (line for line in lines if line.startswith("Works on none of these releases"))
    assert "(2): such as tests/test_a.py:9: test tests/test_a.py::test_that_fails_everywhere fails:" in own
    markdown = window(plugin, "--run", "--format", "markdown").stdout
    assert markdown.startswith("| toy | breaks | at risk | ran | shown by | first line |\n")
    # Nothing runs again.
    monkeypatch.setattr(commands, "run", None)
    assert window(plugin, "--run").stdout == first.stdout


@pytest.mark.machine
def test_a_run_that_was_interrupted_goes_on(
    plugin: Path, environments: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = told(plugin, "--most", "2")
    cache = with_environments(environments, plugin.parent / "cache")
    monkeypatch.setenv("SYNCBOT_CACHE", str(cache))
    with monkeypatch.context() as patched:
        patched.setattr(commands, "_tests", interrupted)
        assert window(plugin, "--run", "--most", "2").exit_code != 0
    assert not [*cache.rglob(".building-*")]
    assert not [*cache.rglob("*.tmp")]
    assert told(plugin, "--most", "2") == whole


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.machine
def test_what_no_release_of_the_window_lacks_is_no_failure(plugin: Path) -> None:
    settings = plugin / "pyproject.toml"
    settings.write_text(settings.read_text().replace("<2", "<1.1"))
    for file in (plugin / "tests").iterdir():
        file.unlink()
    assert [each["declared"] for each in told(plugin, code=0)["releases"]] == [True, *[False] * 4]


@pytest.mark.machine
def test_what_fails_on_every_release_where_reading_says_so(plugin: Path) -> None:
    settings = plugin / "pyproject.toml"
    settings.write_text(settings.read_text().replace(">=1.0", ">=1.4"))
    (plugin / "plugin/text.py").write_text("from toy.core import join as label\n")
    found = told(plugin)
    (release,) = found["releases"]
    assert release["shown_by"] == "both"
    assert [each["name"] for each in release["ran"]["failures"]] == ["plugin.text", "tests/test_a.py"]
    assert [each["name"] for each in found["run"]["own"]] == ["tests/test_c.py"]
    assert found["requirement"] is None


@pytest.mark.machine
def test_a_budget_for_all_releases(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(options._SECONDS, "s", 0.01)
    run = told(plugin, "--budget", "1s")
    assert (run["run"]["files"], run["run"]["files_left"]) == (3, 2)
    # What imports upstream comes first, and beside each release.
    assert [each["ran"]["tests"] for each in run["releases"]] == [2, 1, 1, 0, 1]
    assert (
        "The budget had no room for 2 of 3 files of tests" in window(plugin, "--run", "--budget", "1s").stdout
    )


@pytest.mark.machine
def test_a_tag_that_the_index_has_no_release_of(
    project: Project, alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Index(others=runner()) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        done = project.run("window", "--run")
        assert done.exit_code == 2
        assert "has no distribution 'engine'" in done.stderr
        files = {"toy/__init__.py": "", "engine/__init__.py": ""}
        index.others["engine"] = toy("9.9", files, tmp_path / "wheels")[:1]
        done = project.run("window", "--run")
        assert "cannot be installed: the package index has no wheel of it" in done.stdout


def test_without_the_option_nothing_runs(plugin: Path) -> None:
    found = json.loads(window(plugin, "--format", "json").stdout)
    jsonschema.validate(found, SCHEMA)
    assert found["run"] is None
    assert {each["ran"] for each in found["releases"]} == {None}
    assert window(plugin, "--budget", "1m").exit_code == 2


def test_without_the_network(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCBOT_CACHE", str(plugin.parent / "cache"))
    assert window(plugin).exit_code == 1
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    done = window(plugin, "--run")
    assert done.exit_code == 3
    assert done.stderr.strip().count("\n") == 0
