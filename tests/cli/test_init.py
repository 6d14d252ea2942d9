"""``syncbot init``: what it finds, what it writes, and that nothing which stands there changes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner, Result

import syncbot.cli
from syncbot import config as configuration
from syncbot.lanes import matrix as matrices
from syncbot.starting_files import own_origin
from tests.upstream.package_index import File, Index, tar

PROJECT = '[project]\nname = "my-plugin"\ndependencies = ["toy{0}"]\n'
METADATA = "Name: toy\nVersion: {0}\nRequires-Python: >=3.11\nRequires-Dist: torch==2.{1}\nRequires-Dist: other==1\nProject-URL: Source, https://github.com/toys/toy\n"


COMMIT = "0a" * 20
PINNED = f"git+https://code.example/team/syncbot.git@{COMMIT}"
FROM_GIT = {
    "url": "https://code.example/team/syncbot.git",
    "vcs_info": {"vcs": "git", "commit_id": COMMIT},
}


@dataclass
class Installed:
    """How syncbot was installed, as its distribution tells it."""

    direct: dict[str, Any]
    version: str = "1.2.3"
    metadata: Message = field(default_factory=Message)

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return json.dumps(self.direct) if self.direct else None


def run(*arguments: str) -> Result:
    return CliRunner().invoke(syncbot.cli.main, arguments)


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "plugin"
    for path, text in {
        "my_plugin/__init__.py": "import torch\nfrom toy.text import clean\n\nclean('a', strict=True)\n",
        "tests/test_a.py": "import my_plugin\n",
        "pyproject.toml": PROJECT.format(">=1.1,<1.3"),
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(own_origin, "distribution", lambda _: Installed(FROM_GIT))
    texts = ["def clean(text, strict=False): ...\n"] * 3 + ["def clean(text): ...\n"]
    files = [
        File(f"toy-1.{n}.tar.gz", tar({f"toy-1.{n}/toy/text.py": text.encode(),
                                       f"toy-1.{n}/toy/__init__.py": b"",
                                       f"toy-1.{n}/PKG-INFO": METADATA.format(f"1.{n}", n).encode()}))
        for n, text in enumerate(texts)
    ]  # fmt: skip
    with Index(files) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        yield folder


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_it_writes_what_check_then_reads(plugin: Path) -> None:
    before = contents(plugin)
    told = run("init", "--yes")
    assert told.stdout.splitlines() == [
        "packages  my_plugin (1 file)",
        "upstream  toy: pyproject.toml requires it",
        "version   1.2: pyproject.toml names it",
        "window    toy<1.3,>=1.1 (pyproject.toml:3); on which releases it runs: syncbot window",
        "tests     tests",
        "CI        none",
        f"syncbot   {PINNED}",
        "new: syncbot.toml (which upstream is followed, and how)",
        "new: compat_matrix.yaml (lanes 1.3, 1.2, 1.1; the sources are for 1.2)",
        "new: .github/workflows/syncbot.yml (the report of each morning, as an issue)",
        "Written. Next: syncbot check",
    ]
    config = configuration.load(plugin)
    assert config.upstreams["toy"].packages == ("toy",)
    assert (config.project.distribution, config.project.package) == ("my-plugin", "my_plugin")
    matrix = matrices.load(plugin / "compat_matrix.yaml")
    assert [(lane.tag, lane.python, lane.stack) for lane in matrix] == [
        (f"v1.{n}", ">=3.11", {"torch": f"2.{n}"}) for n in (3, 2, 1)
    ]
    flow = yaml.safe_load((plugin / ".github/workflows/syncbot.yml").read_text(encoding="utf-8"))
    steps = flow["jobs"]["report"]["steps"]
    assert "syncbot check --fail-on never" in steps[4]["run"]
    assert steps[3]["env"] == {"SYNCBOT": f"${{{{ vars.SYNCBOT || '{PINNED}' }}}}"}
    assert {path: text for path, text in contents(plugin).items() if path in before} == before
    done = run("check", "--engine", "contracts")
    assert (done.exit_code, "toy 1.2 to 1.3: 1.3 breaks 1 line" in done.stdout) == (1, True)


def test_what_stands_there_stays(plugin: Path) -> None:
    for path in ("compat_matrix.yaml", ".github/workflows/syncbot.yml"):
        (plugin / path).parent.mkdir(parents=True, exist_ok=True)
        (plugin / path).write_text("mine\n", encoding="utf-8")
    (plugin / "pyproject.toml").write_text(
        "[tool.syncbot.upstreams.toy]\npackages = ['toy']\nrelease = 'toy'\n", encoding="utf-8"
    )
    before = contents(plugin)
    told = run("init", "--yes")
    assert "stays: syncbot.toml\nstays: .github/workflows/syncbot.yml\nNothing to write." in told.stdout
    assert contents(plugin) == before


@pytest.mark.parametrize("answer", ["n\n", ""])
def test_without_an_answer_nothing_is_written(plugin: Path, answer: str) -> None:
    before = contents(plugin)
    done = CliRunner().invoke(syncbot.cli.main, ["init"], input=answer)
    assert "Nothing is written without a terminal to ask at: syncbot init --yes" in done.stdout
    assert contents(plugin) == before


@pytest.mark.parametrize(
    ("pin", "file", "told", "lanes"),
    [
        ("==1.0", None, "1.0: pyproject.toml names it", ["v1.3", "v1.0"]),
        ("", "RUN pip install toy==1.1\n", "1.1: Dockerfile names it", ["v1.3", "v1.1"]),
        ("==1.2.5", None, "1.2, the newest release up to 1.2.5, which pyproject.toml names", ["v1.3", "v1.2"]),
        ("", f"ENV TOY_COMMIT={'0a' * 20}\n", "which Dockerfile names and the package index does not have", None),
        ("", None, "no file names one", None),
    ],
)  # fmt: skip
def test_the_version_that_the_sources_are_for(
    plugin: Path, pin: str, file: str | None, told: str, lanes: list[str] | None
) -> None:
    (plugin / "pyproject.toml").write_text(PROJECT.format(pin), encoding="utf-8")
    if file is not None:
        (plugin / "Dockerfile").write_text(file, encoding="utf-8")
    done = run("init", "--yes")
    assert told in done.stdout
    matrix = plugin / "compat_matrix.yaml"
    assert ([lane.tag for lane in matrices.load(matrix)] if matrix.exists() else None) == lanes


def test_a_project_without_a_matrix_gets_one_for_the_version_that_is_named(plugin: Path) -> None:
    (plugin / "pyproject.toml").write_text(PROJECT.format(""), encoding="utf-8")
    assert "no file names one: for lanes, syncbot init --at VERSION" in run("init", "--yes").stdout
    assert "for lanes, syncbot init --at VERSION writes one" in run("matrix").stderr
    done = run("init", "--at", "1.1", "--yes")
    assert "version   1.1: it was named" in done.stdout
    assert [lane.tag for lane in matrices.load(plugin / "compat_matrix.yaml")] == ["v1.3", "v1.1"]
    assert run("matrix").exit_code == 0


@pytest.mark.parametrize(
    ("at", "told"),
    [("newest", "--at newest is no release of toy: name one, such as 1.3"), ("9.9", "there is no toy 9.9")],
)
def test_a_version_that_is_no_release(plugin: Path, at: str, told: str) -> None:
    done = run("init", "--at", at, "--yes")
    assert (done.exit_code, told in done.stderr) == (2, True), done.stderr


def test_nothing_shows_what_is_followed(plugin: Path) -> None:
    (plugin / "pyproject.toml").write_text("[project]\nname = 'my-plugin'\n", encoding="utf-8")
    done = run("init", "--yes")
    assert (done.exit_code, "syncbot init --upstream NAME" in done.stderr) == (2, True)
    assert "upstream  toy: it was named" in run("init", "--upstream", "toy").stdout


def test_another_ci_gets_no_workflow_of_githubs(plugin: Path) -> None:
    (plugin / ".gitlab-ci.yml").write_text("test:\n", encoding="utf-8")
    assert "workflows" not in run("init").stdout


def test_for_agents_there_is_a_skill_that_names_commands_which_exist(plugin: Path) -> None:
    told = run("init", "--agents", "--yes")
    assert told.exit_code == 0, told.output
    skill = (plugin / "skills/syncbot/SKILL.md").read_text(encoding="utf-8")
    head = yaml.safe_load(skill.split("---")[1])
    assert head["name"] == "move-to-newer-toy"
    assert "my_plugin" in head["description"]
    used = {line.split("`syncbot ")[1].split()[0] for line in skill.splitlines() if "`syncbot " in line}
    assert used <= set(syncbot.cli.main.list_commands(click.Context(syncbot.cli.main)))
    assert used >= {"plan", "check", "triage"}
    assert "skills/syncbot/SKILL.md" in (plugin / "AGENTS.md").read_text(encoding="utf-8")


def test_agents_md_that_stands_stays_and_the_section_is_shown(plugin: Path) -> None:
    (plugin / "AGENTS.md").write_text("# Mine\n", encoding="utf-8")
    told = run("init", "--agents", "--yes")
    assert (plugin / "AGENTS.md").read_text(encoding="utf-8") == "# Mine\n"
    assert "To add to AGENTS.md, which exists:\n## Moving to a newer toy" in told.stdout


def workflow_of(plugin: Path) -> Any:
    text = (plugin / ".github/workflows/syncbot.yml").read_text(encoding="utf-8")
    assert "install syncbot" not in text
    return yaml.safe_load(text)


@pytest.mark.parametrize("direct", [{}, {"url": "file:///nowhere", "dir_info": {}}])
def test_a_workflow_asks_where_syncbot_comes_from_if_nothing_shows_it(
    plugin: Path, monkeypatch: pytest.MonkeyPatch, direct: dict[str, Any]
) -> None:
    monkeypatch.setattr(own_origin, "distribution", lambda _: Installed(direct))
    told = run("init", "--yes").stdout
    asked = "set the variable SYNCBOT of the repository to git+https://HOST/OWNER/syncbot@COMMIT: "
    [line] = [line for line in told.splitlines() if line.startswith("syncbot ")]
    assert asked in line
    step = workflow_of(plugin)["jobs"]["report"]["steps"][3]
    assert step["env"] == {"SYNCBOT": "${{ vars.SYNCBOT || '' }}"}
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]], capture_output=True, text=True, check=False,
        env={"SYNCBOT": "", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert (done.returncode, done.stdout.count("\n")) == (1, 1)
    assert done.stdout.startswith("::error::Set the repository's variable SYNCBOT")


def test_its_workflow_is_one_of_githubs_and_keeps_what_the_action_keeps(plugin: Path) -> None:
    assert run("init", "--yes").exit_code == 0
    file = plugin / ".github/workflows/syncbot.yml"
    schema = ("-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows")
    done = subprocess.run([sys.executable, *schema, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
    kept = []
    for steps in (workflow_of(plugin)["jobs"]["report"]["steps"], action["runs"]["steps"]):
        [paths] = [step["with"]["path"] for step in steps if "actions/cache@" in step.get("uses", "")]
        kept.append([Path(line).name for line in paths.split("\n") if "syncbot" in line])
    assert kept[0] == kept[1]
    assert "checksums.key" in kept[0]


def test_ctrl_c_at_the_question_leaves_nothing(plugin: Path) -> None:
    before = contents(plugin)
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "syncbot", "init"], stdin=theirs, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=plugin,
    )  # fmt: skip
    assert process.stdout is not None
    told = b""
    while not told.endswith(b"[Y/n]: ") and (byte := process.stdout.read(1)):
        told += byte
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    os.close(ours)
    os.close(theirs)
    assert (process.returncode, errors.decode().splitlines()[-1]) == (130, "syncbot: interrupted"), errors
    assert contents(plugin) == before


def test_an_index_out_of_reach_is_one_line(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(plugin)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    done = run("init", "--yes")
    assert (done.exit_code, done.stderr.count("\n"), "127.0.0.1:9" in done.stderr) == (3, 1, True), (
        done.stderr
    )
    assert contents(plugin) == before


def test_a_tree_with_changes_keeps_them(plugin: Path) -> None:
    """Only new files are written: what is not committed is as safe as before."""
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "Begin"], check=True)
    changed = plugin / "my_plugin/__init__.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "x = 1\n", encoding="utf-8")
    before = contents(plugin)
    assert run("init", "--yes").exit_code == 0
    assert {path: text for path, text in contents(plugin).items() if path in before} == before


def test_an_unpacked_wheel_has_all_that_is_asked_for(plugin: Path) -> None:
    """Its own metadata says what it follows and which versions; there is no other."""
    (plugin / "pyproject.toml").unlink()
    built = plugin / "my_plugin-1.0.dist-info"
    built.mkdir()
    metadata = "Metadata-Version: 2.1\nName: my-plugin\nVersion: 1.0\nRequires-Dist: torch\nRequires-Dist: toy<1.3,>=1.1\n"
    (built / "METADATA").write_text(metadata, encoding="utf-8")
    (built / "entry_points.txt").write_text("[toy.plugins]\nmine = my_plugin\n", encoding="utf-8")
    told = run("init", "--yes").stdout
    assert (
        "upstream  toy: my_plugin-1.0.dist-info/entry_points.txt has entry points of the group toy.plugins"
        in told
    )
    assert "version   1.2: my_plugin-1.0.dist-info/METADATA names it" in told
    assert configuration.load(plugin).project.distribution == "my-plugin"


def test_it_proposes_the_releases_that_it_runs_on(plugin: Path) -> None:
    told = run("init", "--window")
    assert told.exit_code == 0
    (line,) = [line for line in told.stdout.splitlines() if line.startswith("window")]
    assert line.startswith("window    toy<1.3,>=1.1 (pyproject.toml:3); it runs on ")
    assert ": write toy>=1." in line
