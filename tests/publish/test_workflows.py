"""The action, the workflow and the hook: as GitHub and pre-commit read them, and as they run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import check_jsonschema
import click
import pytest
import yaml
from click.testing import CliRunner, Result
from pre_commit.clientlib import load_manifest

import syncbot.cli
from syncbot.cli.matrix import as_jobs
from syncbot.lanes import matrix as matrices
from syncbot.verify.unbuilt_wheel import unbuilt_wheel
from tests.ready_command import ready_command
from tests.upstream.package_index import File, Index

from .project import NEW, OLD, Project, make, write

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
WORKFLOW = ROOT / "docs" / "workflows" / "nightly.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
FILES = (ACTION, WORKFLOW)
OWN_WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def read(file: Path) -> Any:
    # YAML 1.1 reads the key `on` as true; GitHub does not.
    return yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


def steps(document: Any) -> Iterator[dict[str, Any]]:
    for job in document.get("jobs", {"action": document.get("runs")}).values():
        yield from job["steps"]


def validated(schema: str, file: Path) -> Result:
    return CliRunner().invoke(check_jsonschema.main, ["--builtin-schema", f"vendor.{schema}", str(file)])


@pytest.mark.parametrize(
    ("schema", "file"),
    [("github-actions", ACTION), *(("github-workflows", file) for file in (WORKFLOW, *OWN_WORKFLOWS))],
    ids=lambda value: getattr(value, "name", value),
)  # fmt: skip
def test_they_are_what_the_published_schemas_want(schema: str, file: Path) -> None:
    done = validated(schema, file)
    assert done.exit_code == 0, done.output


def test_a_wrong_workflow_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "x.yml"
    file.write_text(WORKFLOW.read_text(encoding="utf-8").replace("runs-on", "run-on"), encoding="utf-8")
    assert validated("github-workflows", file).exit_code == 1


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_they_call_syncbot_as_it_is(file: Path) -> None:
    called = 0
    for step in steps(read(file)):
        script = step.get("run", "").replace("\\\n", " ")
        for found in re.finditer(r"(?:^|\$\(|; then |/)(syncbot [a-z][^;)\n|&]*)", script, re.MULTILINE):
            words = found[1].replace('"', "").split()
            command: click.Command = syncbot.cli.main
            context = click.Context(command)
            position = 1
            while isinstance(command, click.Group):
                inner = command.get_command(context, words[position])
                assert inner is not None, found[1]
                command, position = inner, position + 1
            known = {name for parameter in command.params for name in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= known, found[1]
            called += 1
    assert called >= 4


def expressions(text: str) -> set[str]:
    return {
        name
        for inner in re.findall(r"\$\{\{(.*?)\}\}", text)
        for name in re.findall(r"[a-z]\w*(?:\.[\w-]+)+", inner)
    }


def test_what_the_action_refers_to_exists() -> None:
    document = read(ACTION)
    ids = {step["id"] for step in steps(document) if "id" in step}
    written = set(
        re.findall(r"echo \"?(\w+)=", next(s["run"] for s in steps(document) if s.get("id") == "check"))
    )
    for name in expressions(ACTION.read_text(encoding="utf-8")):
        kind, *rest = name.split(".")
        if kind == "inputs":
            assert rest[0] in document["inputs"], name
        elif kind == "steps":
            assert rest[0] in ids, name
            assert rest[2] in written, name
        else:
            assert kind in ("runner", "github"), name


def test_what_the_workflow_refers_to_exists() -> None:
    document, action = read(WORKFLOW), read(ACTION)
    lanes = as_jobs(matrices.load(ROOT / "compat_matrix.yaml"))["include"]
    assert isinstance(lanes, list)
    for name, job in document["jobs"].items():
        needed = job.get("needs", [])
        needed = [needed] if isinstance(needed, str) else needed
        assert set(needed) <= document["jobs"].keys()
        for used in expressions(yaml.safe_dump(job)):
            kind, *rest = used.split(".")
            if kind == "needs":
                assert rest[0] in needed, f"{name}: {used}"
                assert rest[1] == "result" or rest[2] in document["jobs"][rest[0]]["outputs"], used
            elif kind == "matrix":
                assert all(rest[0] in lane for lane in lanes), used
            elif kind == "steps":
                step = next(step for step in job["steps"] if step.get("id") == rest[0])
                assert rest[2] in action["outputs"] or f"{rest[2]}=" in step["run"], used
        for step in job["steps"]:
            if step.get("uses") == "./":
                assert step["with"].keys() <= action["inputs"].keys()


@pytest.mark.parametrize("file", [*FILES, *OWN_WORKFLOWS], ids=lambda file: file.name)
def test_scripts_hold_no_expressions(file: Path) -> None:
    """Values from outside reach a script through its environment, never as its text."""
    assert [step["run"] for step in steps(read(file)) if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("file", [*FILES, *OWN_WORKFLOWS], ids=lambda file: file.name)
def test_scripts_are_bash(file: Path) -> None:
    for step in steps(read(file)):
        if "run" in step:
            done = subprocess.run(
                ["bash", "-n"], input=step["run"], capture_output=True, text=True, check=False
            )
            assert done.stderr == ""


def test_the_hooks() -> None:
    lint, hook = load_manifest(HOOKS)
    assert (lint["entry"], lint["types"], lint["pass_filenames"]) == ("syncbot lint", ["python"], False)
    assert hook["entry"] == "syncbot apply --check"
    assert hook["pass_filenames"] is False
    for path in ("compat_matrix.yaml", "patches/x.yaml", "src/plugin/mine.py", "pyproject.toml"):
        assert re.search(hook["files"], path)
    assert not re.search(hook["files"], "README.md")


# The action, run


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The backend in a folder of its repository, to be copied."""
    made = make(tmp_path_factory.mktemp("first"))
    settings = made.plugin / "pyproject.toml"
    text = settings.read_text(encoding="utf-8").replace('backend = "code"', 'backend = "in ner"')
    settings.write_text(text, encoding="utf-8")
    (made.plugin / "code").rename(made.plugin / "in ner")
    return made


@pytest.fixture
def project(first: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    made = Project(tmp_path)
    for folder in ("engine", "plugin", "remote.git"):
        shutil.copytree(first.root / folder, tmp_path / folder)
    made.git(made.plugin, "remote", "set-url", "origin", str(made.remote))
    return made


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with ready_command(
        tmp_path_factory.mktemp("bin"), "syncbot.cli.window", "syncbot.workflows.window"
    ) as made:
        yield made


Act = Callable[..., tuple[dict[str, str], str, list[int]]]


@pytest.fixture
def act(project: Project, program: Path) -> Act:
    return partial(acted, project, program)


def acted(project: Project, program: Path, **inputs: str) -> tuple[dict[str, str], str, list[int]]:
    """Run the scripts of the action but its installation; return outputs, what was printed, exit codes."""
    document = read(ACTION)
    given = {name: entry.get("default", "") for name, entry in document["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    output = project.root / "output"
    output.write_text("", encoding="utf-8")
    base = os.environ | {
        "PATH": f"{program.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
        "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(project.root / "summary"),
    }  # fmt: skip
    outputs: dict[str, str] = {}
    printed, codes = "", []
    for step in steps(document):
        if "run" not in step or step.get("id") == "install":
            continue
        asked = re.fullmatch(r"\$\{\{ inputs\.(\w+) == 'true' \}\}", step.get("if", ""))
        if asked is not None and given[asked[1]] != "true":
            continue
        environment = {}
        for name, value in step.get("env", {}).items():
            if name == "SYNCBOT_DOCUMENTATION":
                environment[name] = "https://github.com/o/syncbot/blob/v1/docs"
                continue
            inner = re.fullmatch(r"\$\{\{ (?:inputs|steps\.check\.outputs)\.([\w-]+) \}\}", value)
            assert inner is not None, value
            environment[name] = given[inner[1]] if "inputs." in value else outputs[inner[1]]
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=project.plugin, env=base | environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        printed += done.stdout + done.stderr
        codes.append(done.returncode)
        outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        if done.returncode:
            break
    return outputs, printed, codes


def test_the_action_reports_what_breaks(project: Project, act: Act) -> None:
    write(project.plugin / "in ner", {"src/plugin/more.py": "from engine.old_home import Part\n"})
    outputs, printed, codes = act(**{"from": "v1.0.0", "to": "v2.0.0"})
    assert codes == [0, 1], printed
    assert outputs["found"] == "true"
    assert "::error file=in ner/src/plugin/more.py,line=1" in printed
    report = json.loads((project.plugin / outputs["json"]).read_text(encoding="utf-8"))
    assert report["impacts"][0]["locations"][0]["file"] == "src/plugin/more.py"
    sarif = json.loads((project.plugin / outputs["sarif"]).read_text(encoding="utf-8"))
    [result] = [r for r in sarif["runs"][0]["results"] if r["level"] == "error"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "in%20ner/src/plugin/more.py"
    [rule] = sarif["runs"][0]["tool"]["driver"]["rules"]
    assert rule["helpUri"] == f"https://github.com/o/syncbot/blob/v1/docs/kinds.md#{rule['id']}"
    markdown = (project.plugin / outputs["report"]).read_text(encoding="utf-8")
    assert "more.py:1" in markdown
    assert (project.root / "summary").read_text(encoding="utf-8") == markdown


@pytest.mark.parametrize("upstream", ["engine", "nowhere"])
def test_the_action_s_cache_keeps_no_address_of_an_upstream(
    project: Project, act: Act, upstream: str
) -> None:
    cache, url = Path(os.environ["SYNCBOT_CACHE"]), f"file://{project.root / upstream}"
    outputs, printed, _ = act(**{"from": "v1.0.0", "to": "v2.0.0", "upstream": url})
    assert ("report" in outputs) == (upstream == "engine"), printed
    assert list((cache / "mirrors").glob("*.git/objects"))
    kept = [file for file in cache.rglob("*") if file.is_file() and url.encode() in file.read_bytes()]
    assert kept == []
    paths = next(s["with"]["path"] for s in steps(read(ACTION)) if "actions/cache@" in s.get("uses", ""))
    kept_folders = {Path(line).name for line in paths.splitlines()}
    assert not kept_folders & {"logs", "uv", "environments", "wheels"}


@pytest.mark.parametrize(
    ("large", "left"),
    [((), {"downloads", "tables"}), (("downloads",), {"tables"}), (("downloads", "tables"), set())],
)
def test_the_action_s_cache_stays_below_a_bound(
    project: Project, act: Act, large: tuple[str, ...], left: set[str]
) -> None:
    cache = Path(os.environ["SYNCBOT_CACHE"])
    for name in ("downloads", "tables"):
        (cache / name).mkdir(parents=True)
        with (cache / name / "large").open("wb") as file:
            if name in large:
                os.posix_fallocate(file.fileno(), 0, 301 << 20)
    _, printed, codes = act(**{"from": "v1.0.0", "to": "v2.0.0", "fail-on": "never"})
    assert codes == [0, 0], printed
    assert {name for name in ("downloads", "tables") if (cache / name).exists()} == left
    assert sum(file.stat().st_size for file in cache.rglob("*")) < 300 << 20
    # What is large goes, what the run made stays as long as there is room.
    assert list((cache / "contracts").glob("*")) if not large else True


def test_the_action_says_on_which_releases_the_project_runs_where_it_is_asked(
    project: Project, act: Act
) -> None:
    write(project.plugin / "in ner", {"src/plugin/mine.py": "x = 1\n"})
    _, printed, codes = act(**{"from": "v1.0.0", "to": "v2.0.0", "window": "true"})
    assert codes[:2] == [0, 0], printed
    assert "Runs on 1.0 to 2.0" in printed
    assert "Runs on 1.0 to 2.0" in (project.root / "summary").read_text(encoding="utf-8")


@pytest.mark.machine
def test_the_action_runs_what_breaks_where_a_budget_is_given(
    project: Project, act: Act, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project.plugin / "in ner", {"src/plugin/more.py": "from engine.old_home import Part\n"})
    wheels = [
        released("engine", version, files, tmp_path) for version, files in (("1.0.0", OLD), ("2.0.0", NEW))
    ]
    # There are no tests to run, and no package of this machine's index is wanted.
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    runner = [released("pytest", "9.0.0", {}, tmp_path)]
    with Index(others={"engine": wheels, "pytest": runner}) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        given = {"from": "v1.0.0", "to": "v2.0.0", "fail-on": "never", "run": "1m", "window": "true"}
        outputs, printed, codes = act(**given)
    assert codes == [0, 0, 0], printed
    report = json.loads((project.plugin / outputs["json"]).read_text(encoding="utf-8"))
    assert (report["run"]["old"], report["run"]["new"]) == ("engine 1.0.0", "engine 2.0.0")
    assert {impact["evidence"] for impact in report["impacts"]} == {"both"}
    assert "read and ran" in (project.plugin / outputs["report"]).read_text(encoding="utf-8")


def released(name: str, version: str, files: Mapping[str, str], folder: Path) -> File:
    """The wheel of a release."""
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    held = {**files, "PKG-INFO": about, f"{name}.egg-info/top_level.txt": f"{name}\n"}
    encoded = {path: text.encode() for path, text in held.items()}
    wheel = unbuilt_wheel(encoded, name, version, {}, (), folder)
    return File(wheel.name, wheel.read_bytes())


def test_the_action_where_nothing_breaks(project: Project, act: Act) -> None:
    write(project.plugin / "in ner", {"src/plugin/mine.py": "x = 1\n"})
    write(project.root / "engine", {"engine/home.py": NEW["engine/home.py"] + "\n\nx = 1\n"})
    project.commit(project.root / "engine", "Add x (#18)")
    outputs, printed, codes = act(
        **{"from": "v2.0.0", "to": "latest", "language": "zh", "fail-on": "at-risk"}
    )
    assert codes == [0, 0], printed
    assert outputs["found"] == "false"
    assert "::notice::" in printed


def test_the_action_goes_on_where_the_last_report_ended_and_counts_what_came_in(
    project: Project, act: Act
) -> None:
    done, printed, codes = act(**{"from": "v1.0.0", "to": "v2.0.0", "fail-on": "never"})
    assert (codes, done["commits"]) == ([0, 0], "1"), printed
    write(project.root / "engine", {"engine/more.py": "x = 1\n"})
    project.commit(project.root / "engine", "Add more (#19)")
    for came in ("1", "0"):
        done, printed, codes = act(**{"since": "last-report", "fail-on": "never"})
        assert (codes, done["commits"]) == ([0, 0], came), printed


def test_a_quiet_period_is_no_error(project: Project, act: Act) -> None:
    done, printed, codes = act(**{"since": "2030-01-01", "fail-on": "never"})
    assert (codes, done["commits"], done["found"]) == ([0, 0], "0", "false"), printed


def test_the_action_on_a_wrong_range(project: Project, act: Act) -> None:
    _, printed, codes = act(**{"from": "nowhere"})
    assert codes == [2]
    assert printed.startswith("syncbot: ")
