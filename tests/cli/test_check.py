"""``syncbot check`` on real repositories: the guilty commit, the report, the exit codes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from syncbot.patching.registry import find
from syncbot.patching.source import Source

from .conftest import Project

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/report.json").read_text(encoding="utf-8"))
WORKER = "src/plugin/worker.py"


def test_each_break_has_its_own_commit_and_line(project: Project) -> None:
    project.noise()
    removed = project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#11)")
    project.noise()
    longer = project.change(
        "engine/text.py", "tuple[str, str]:\n    return text, text",
        "tuple[str, str, str]:\n    return text, text, text", "Three parts (#12)",
    )  # fmt: skip
    project.files["engine/settings.py"] = project.files.pop("engine/config.py")
    moved = project.change("engine/worker.py", "engine.config", "engine.settings", "Move config (#13)")
    required = project.change(
        "engine/worker.py", "list[int]) -> int", "list[int], step: int) -> int", "Add a step (#14)"
    )
    project.change("engine/worker.py", "execute([1])", "execute([1], step=0)", "Pass it")
    project.noise()
    report = project.check("v0.1.0")
    found = {
        (i["commit"], i["kind"], i["symbol"], place["line"])
        for i in report["impacts"]
        if i["verdict"] == "breaks"
        for place in i["locations"]
    }
    assert found == {
        (removed, "parameter-removed", "engine.text.clean", 9),
        (longer, "return-shape-changed", "engine.text.split", 12),
        (moved, "module-moved", "engine.config", 1),
        (required, "parameter-required", "engine.worker.Worker.execute", 11),
    }
    numbers = {(removed, 11), (longer, 12), (moved, 13), (required, 14)}
    assert {(i["commit"], i["pr"]) for i in report["impacts"]} == numbers
    assert len(report["commits"]) == 8


def test_what_is_undone_inside_the_range_is_nothing(project: Project) -> None:
    project.change("engine/text.py", "strict: bool", "harsh: bool")
    project.noise()
    project.change("engine/text.py", "harsh: bool", "strict: bool")
    project.files["engine/settings.py"] = project.files.pop("engine/config.py")
    project.commit("Move away")
    project.files["engine/config.py"] = project.files.pop("engine/settings.py")
    project.commit("And back")
    report = project.check("v0.1.0")
    assert report["impacts"] == []
    assert len(report["commits"]) == 5


def test_broken_mended_and_broken_again_blames_the_last(project: Project) -> None:
    first = project.change("engine/text.py", "strict: bool", "harsh: bool")
    project.change("engine/text.py", "harsh: bool", "strict: bool")
    last = project.change("engine/text.py", "strict: bool", "severe: bool")
    commits = {i["commit"] for i in project.check("v0.1.0")["impacts"]}
    assert commits == {last}
    assert first not in commits


def test_two_parameters_of_two_commits_are_two_impacts(project: Project) -> None:
    one = project.change("engine/text.py", "split(text: str)", "split(text: str, sep: str)")
    project.noise()
    two = project.change("engine/text.py", "sep: str)", "sep: str, limit: int)")
    impacts = project.check("v0.1.0")["impacts"]
    assert {(i["commit"], i["details"]["argument"]) for i in impacts} == {(one, "sep"), (two, "limit")}
    assert {i["verdict"] for i in impacts} == {"breaks"}
    assert len({i["id"] for i in impacts}) == 2


def test_a_commit_on_a_merged_branch_is_named_not_the_merge(project: Project) -> None:
    project.git("switch", "--quiet", "--create", "topic")
    guilty = project.change("engine/text.py", ", strict: bool = False", "")
    kept = dict(project.files)
    project.git("switch", "--quiet", "main")
    project.files["engine/text.py"] = project.files["engine/text.py"].replace(
        "clean(text: str)", "clean(text: str, strict: bool = False)"
    )
    project.noise()
    project.git("merge", "--quiet", "--no-ff", "-m", "Merge topic", "topic")
    merge = project.git("rev-parse", "HEAD")
    project.files = {**kept, "engine/noise.py": project.files["engine/noise.py"]}
    report = project.check("v0.1.0")
    assert [c["sha"] for c in report["commits"]].count(merge) == 1
    assert [(i["commit"], i["kind"]) for i in report["impacts"]] == [(guilty, "parameter-removed")]


def test_an_octopus_is_read(project: Project) -> None:
    begin = dict(project.files)
    for name, path, old, new in (
        ("one", "engine/text.py", ", strict: bool = False", ""),
        ("two", "engine/config.py", "size: int = 1", "width: int = 1"),
        ("three", "engine/worker.py", "config: Config", "setup: Config"),
    ):
        project.git("switch", "--quiet", "--create", name, "v0.1.0")
        project.files = dict(begin)
        project.change(path, old, new, f"Topic {name}")
    project.git("switch", "--quiet", "main")
    project.git("merge", "--quiet", "--no-ff", "-m", "Octopus", "one", "two", "three")
    octopus = project.git("rev-parse", "HEAD")
    assert len(project.git("show", "--no-patch", "--format=%P", octopus).split()) == 4
    report = project.check("v0.1.0")
    one, two, three = (project.git("rev-parse", name) for name in ("one", "two", "three"))
    assert {c["sha"] for c in report["commits"]} == {octopus, one, two, three}
    guilty = {i["symbol"]: i["commit"] for i in report["impacts"] if i["verdict"] == "breaks"}
    assert guilty == {"engine.text.clean": one, "engine.config.Config.size": two}


def test_what_concerns_tests_alone_is_told_apart(project: Project) -> None:
    project.write({"tests/test_text.py": "from engine.text import split\n\nsplit('a')\n"})
    project.change("engine/text.py", "split(text: str)", "split(text: str, sep: str)")
    project.change("engine/text.py", "def clean", "def tidy")
    impacts = project.check("v0.1.0")["impacts"]
    in_tests = [i for i in impacts if i["tests_only"]]
    assert {p["file"] for i in in_tests for p in i["locations"]} == {"tests/test_text.py"}
    assert {p["file"] for i in impacts if not i["tests_only"] for p in i["locations"]} == {WORKER}
    assert [i["tests_only"] for i in impacts] == sorted(i["tests_only"] for i in impacts)
    twin = next(i for i in impacts if i["symbol"] == in_tests[0]["symbol"] and not i["tests_only"])
    assert twin["id"] != in_tests[0]["id"]


def test_breaks_in_tests_alone_do_not_fail_a_check(project: Project) -> None:
    project.write({"tests/test_main.py": "from engine.worker import main\n"})
    project.change("engine/worker.py", "def main", "def start")
    result = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--format", "json")
    assert result.exit_code == 0
    assert [(i["verdict"], i["tests_only"]) for i in json.loads(result.stdout)["impacts"]] == [
        ("breaks", True)
    ]


def test_the_document_is_as_its_schema_says(project: Project) -> None:
    project.change("engine/text.py", ", strict: bool = False", "", "Drop strict, caf\u00e9 (#11)")
    project.write({"src/plugin/broken.py": "def (:\n"})
    result = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--format", "json")
    assert result.stdout.isascii()
    report = json.loads(result.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert (report["upstream"]["name"], report["upstream"]["from_name"]) == ("engine", "v0.1.0")
    assert report["upstream"]["to"] == project.git("rev-parse", "HEAD")
    assert [f["file"] for f in report["unanalysed"]] == ["src/plugin/broken.py"]
    assert report["commits"][0]["subject"] == "Drop strict, caf\u00e9 (#11)"


def test_places_are_lines_of_the_backend(project: Project) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    project.files.pop("engine/config.py")
    project.commit("Drop the configuration")
    for impact in project.check("v0.1.0")["impacts"]:
        for place in impact["locations"]:
            lines = (project.plugin / place["file"]).read_text(encoding="utf-8").splitlines()
            assert re.search(r"\w", lines[place["line"] - 1][place["column"] - 1 :])


# Ranges


@pytest.mark.parametrize(
    ("arguments", "subjects"),
    [
        (("--from", "v0.1.0", "--to", "v0.2.0"), ["Two", "One"]),
        (("--from", "0.1.0", "--to", "0.2"), ["Two", "One"]),
        (("--from", "latest~1", "--to", "latest"), ["Two", "One"]),
        (("--from", "latest"), ["Three"]),
        (("--from", "HEAD~1"), ["Three"]),
        (("--from", "HEAD"), []),
        (("--since", "2026-01-23T02:00:00+08:00"), ["Three", "Two", "One"]),
        (("--since", "2026-01-23T02:00:00+08:00", "--until", "2026-01-23T03:00:00+08:00"), ["Two", "One"]),
        (("--since", "2026-02-01"), []),
    ],
)
def test_ranges(project: Project, arguments: tuple[str, ...], subjects: list[str]) -> None:
    project.commit("One")
    project.commit("Two")
    project.git("tag", "v0.2.0")
    project.commit("Three")
    result = project.run("check", *arguments, "--engine", "contracts", "--format", "json")
    assert result.exit_code == 0, result.output
    assert [c["subject"] for c in json.loads(result.stdout)["commits"]] == subjects


# Exit codes and wrong use


@pytest.mark.parametrize(
    ("fail_on", "code_if_broken", "code_if_at_risk"), [("breaks", 1, 0), ("at-risk", 1, 1), ("never", 0, 0)]
)
def test_fail_on(project: Project, fail_on: str, code_if_broken: int, code_if_at_risk: int) -> None:
    guarded = "try:\n    from engine.worker import main\nexcept ImportError:\n    main = None\n"
    project.write({"src/plugin/extra.py": guarded})
    project.change("engine/worker.py", "def main", "def start")
    arguments = ("check", "--engine", "contracts", "--fail-on", fail_on, "--format", "json")
    result = project.run(*arguments, "--from", "v0.1.0")
    assert {i["verdict"] for i in json.loads(result.stdout)["impacts"]} == {"at-risk"}
    assert result.exit_code == code_if_at_risk
    project.change("engine/text.py", "def clean", "def tidy")
    assert project.run(*arguments, "--from", "v0.1.0").exit_code == code_if_broken
    assert project.run(*arguments, "--from", "HEAD").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--since", "yesterday", "--from", "v0.1.0"), "use one kind"),
        (
            ("--since", "today", "--until", "yesterday"),
            "--since today is after --until yesterday: exchange them",
        ),
        (("--from", "v9.9.9"), "no commit 'v9.9.9': the nearest tags are v0.1.0"),
        (("--from", "nonsense"), "no commit 'nonsense'"),
        (("--from", "latest~7"), "latest~7 asks for release 8"),
        (("--from", "HEAD", "--to", "v0.1.0"), "exchange --from and --to"),
        (("--since", "whenever"), "whenever"),
        (("--since", "2020-01-01"), "reaches back to the first commit"),
        (("--from", "v0.1.0", "--engine", "guesswork"), "'guesswork' is not one of"),
        (("--from", "v0.1.0", "--format", "papyrus"), "'papyrus' is not one of"),
        (("--from", "v0.1.0", "--fail-on", "sometimes"), "'sometimes' is not one of"),
        (("--from", "v0.1.0", "--lang", "tlh"), "tlh"),
        (("--from", "v0.1.0", "--upstream", "engin"), "'engin' is neither a configured upstream"),
        (("--from", "--florb"), "--florb"),
        ((), "name a range"),
    ],
)
def test_wrong_use_is_one_line(project: Project, arguments: tuple[str, ...], words: str) -> None:
    project.noise()
    result = project.run("check", *arguments)
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert result.stderr.startswith("syncbot: ")
    assert (result.stderr.count("\n"), result.stdout) == (1, "")


def _fails(
    project: Project, code: int, *words: str, arguments: tuple[str, ...] = ("--from", "v0.1.0")
) -> None:
    result = project.run("check", *arguments)
    assert result.exit_code == code, result.output
    assert all(word in result.stderr for word in words), result.stderr
    assert (result.stderr.count("\n"), result.stdout) == (1, "")


def test_a_missing_backend(project: Project) -> None:
    (project.plugin / "pyproject.toml").rename(project.root / "aside")
    (project.plugin / "src").rename(project.root / "src")
    project.plugin.rmdir()
    _fails(project, 2, "is not a folder", "root of the backend's repository")


def test_a_backend_without_packages(project: Project) -> None:
    for path in sorted((project.plugin / "src").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    _fails(project, 2, "holds no Python package")


def test_a_backend_without_an_upstream(project: Project) -> None:
    (project.plugin / "pyproject.toml").write_text("[project]\nname = 'plugin'\n", encoding="utf-8")
    _fails(project, 2, "no upstream is configured")


def test_an_upstream_that_is_no_repository(project: Project, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    arguments = ("--from", "v0.1.0", "--upstream", str(tmp_path / "plain"))
    _fails(project, 2, "not a git repository", arguments=arguments)


def test_an_empty_upstream(project: Project, tmp_path: Path) -> None:
    project.git("init", "--quiet", str(tmp_path / "empty"))
    arguments = ("--from", "HEAD", "--upstream", str(tmp_path / "empty"))
    _fails(project, 2, "has no commits yet", arguments=arguments)


def test_an_upstream_that_cannot_be_reached(project: Project, tmp_path: Path) -> None:
    arguments = ("--from", "HEAD", "--upstream", f"file://{tmp_path}/nowhere.git")
    _fails(project, 3, "nowhere.git", "cannot be fetched", arguments=arguments)


def test_a_report_that_cannot_be_written(project: Project, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    arguments = ("--from", "v0.1.0", "--output", str(tmp_path / "file/report.md"))
    _fails(project, 3, "report.md", arguments=arguments)
    for folder in ("", ".", str(tmp_path)):
        _fails(project, 3, "Is a directory", arguments=("--from", "v0.1.0", "--output", folder))


def test_output_goes_to_a_file(project: Project, tmp_path: Path) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    shown = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--format", "markdown")
    target = tmp_path / "report.md"
    written = project.run(
        "check", "--from", "v0.1.0", "--engine", "contracts", "--format", "markdown", "--output", str(target)
    )
    assert (written.exit_code, written.stdout) == (1, "")
    assert target.read_text(encoding="utf-8") == shown.stdout != ""


# Memory


def test_the_second_run_answers_from_memory(project: Project, tmp_path: Path) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    project.change("engine/config.py", "size: int", "width: int")
    first = project.check("v0.1.0")
    kept = list((tmp_path / "cache/analyses").iterdir())
    assert len(kept) == 1
    before = kept[0].stat()
    assert project.check("v0.1.0") == first
    assert [(p, p.stat().st_mtime_ns, p.stat().st_ino) for p in (tmp_path / "cache/analyses").iterdir()] == [
        (kept[0], before.st_mtime_ns, before.st_ino)
    ]


def test_a_changed_backend_is_looked_at_anew(project: Project) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    assert project.check("v0.1.0")["impacts"] != []
    text = (project.plugin / WORKER).read_text(encoding="utf-8")
    (project.plugin / WORKER).write_text(text.replace("clean", "tidy"), encoding="utf-8")
    assert project.check("v0.1.0")["impacts"] == []


def _kinds(report: dict[str, Any]) -> list[str]:
    return [i["kind"] for i in report["impacts"]]


def test_the_upstream_named_by_a_path_is_the_configured_one(project: Project) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    named = project.check("v0.1.0", "--upstream", str(project.engine))
    assert _kinds(named) == _kinds(project.check("v0.1.0")) != []


# Other processes

PROGRAM = [sys.executable, "-m", "syncbot", "check"]


Start = Callable[..., tuple[subprocess.Popen[str], Callable[[], str]]]


@pytest.fixture
def stopped(project: Project) -> Iterator[Start]:
    """Starts a check that answers to SIGINT even where the tests themselves run without a terminal."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> tuple[subprocess.Popen[str], Callable[[], str]]:
        process = subprocess.Popen(
            [*PROGRAM, "--backend", str(project.plugin), *arguments],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )  # fmt: skip
        started.append(process)

        def interrupt() -> str:
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
            assert out == ""
            return err

        return process, interrupt

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def test_an_interrupt_while_git_waits_for_a_remote(project: Project, stopped: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        process, interrupt = stopped("--from", "v0.1.0", "--upstream", f"git://127.0.0.1:{port}/engine.git")
        caller, _ = server.accept()
        with caller:
            message = interrupt()
            caller.settimeout(60)
            while caller.recv(4096):  # ends when git has gone
                pass
    assert (process.returncode, message.lstrip("\n")) == (130, "syncbot: interrupted\n")


@pytest.mark.long
def test_contracts_need_no_type_checkers(project: Project, tmp_path: Path) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    bare = tmp_path / "bare"
    venv.create(bare, with_pip=False)
    libraries = [str(Path(__file__).parents[2]), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    git = Path(shutil.which("git") or "git")
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/git").symlink_to(git)

    def check(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [bare / "bin/python", *PROGRAM[1:], "--backend", project.plugin, "--from", "v0.1.0", *arguments],
            capture_output=True, text=True, check=False,
            env={"PATH": str(tmp_path / "programs"), "PYTHONPATH": os.pathsep.join(libraries),
                 "SYNCBOT_CACHE": os.environ["SYNCBOT_CACHE"]},
        )  # fmt: skip

    alone = check("--engine", "contracts", "--format", "json")
    assert (alone.returncode, alone.stderr) == (1, "")
    assert {i["symbol"] for i in json.loads(alone.stdout)["impacts"]} == {"engine.text.clean"}
    by_default = check("--format", "json")
    assert (by_default.returncode, by_default.stdout) == (1, alone.stdout)
    asked_for = check("--engine", "ty")
    assert (asked_for.returncode, asked_for.stdout, asked_for.stderr.count("\n")) == (2, "", 1)
    assert "ty is not installed" in asked_for.stderr


@pytest.mark.long
def test_type_checkers_agree_with_contracts(project: Project) -> None:
    guilty = project.change("engine/text.py", ", strict: bool = False", "")
    all_ = ("--engine", "contracts", "--engine", "pyrefly", "--engine", "ty")
    result = project.run("check", "--from", "v0.1.0", "--format", "json", *all_)
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    (impact,) = report["impacts"]
    assert (impact["commit"], impact["engines"]) == (guilty, ["contracts", "pyrefly", "ty"])


@pytest.mark.parametrize(
    ("now", "kind", "mended"),
    [
        ("list[int], *, fast: bool = False)", "key", "def execute(self, batch: list[int], *, fast=False)"),
        ("list[int], fast: bool = False)", None, "def execute(self, batch: list[int], fast=False)"),
    ],
)
def test_a_parameter_that_upstream_adds_is_offered_as_it_can_be_passed(
    project: Project, now: str, kind: str | None, mended: str
) -> None:
    (project.plugin / "src/plugin/own.py").write_text(
        "from engine.worker import Worker\n\n\nclass Mine(Worker):\n"
        "    def execute(self, batch: list[int]) -> int:\n        return 0\n"
    )
    project.change("engine/worker.py", "list[int])", now)
    (found,) = [i for i in project.check("v0.1.0")["impacts"] if i["contract"] == "override"]
    assert found["fix"]["rule"] == "override_parameter_added"
    assert found["fix"]["arguments"].get("kind") == kind
    rule = find("override_parameter_added").model_validate(found["fix"]["arguments"])
    source = Source((project.plugin / "src/plugin/own.py").read_text())
    assert mended in rule.forward(source)


def test_what_could_not_be_judged_is_one_line(project: Project) -> None:
    project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#11)")
    (project.plugin / "src/plugin/loose.py").write_text("def f(x):\n    return x.size\n", encoding="utf-8")
    line = "The report leaves out 1 object that the project uses: the"
    for style in ("text", "markdown", "html", "github"):
        arguments = ("check", "--backend", str(project.plugin), "--from", "v0.1.0", "--format", style)
        assert project.run(*arguments).stdout.count(line) == 1
    counted = project.check("v0.1.0")["coverage"]
    assert (counted["files"], counted["relying"], counted["objects"]) == (2, 1, 1)


def test_sources_that_rely_on_nothing_upstream_fail(project: Project) -> None:
    project.change("engine/text.py", ", strict: bool = False", "", "Drop strict (#11)")
    arguments = ("check", "--backend", str(project.plugin), "--from", "v0.1.0")
    assert "Only" not in project.run(*arguments).stdout
    (project.plugin / "src/plugin/worker.py").write_text("import os\n", encoding="utf-8")
    result = project.run(*arguments)
    assert result.exit_code == 1
    assert "Only 0 of 1 file rely on this upstream" in result.stdout.splitlines()[0]
    assert project.run(*arguments, "--fail-on", "never").exit_code == 0
    assert project.run(*arguments, "--format", "github").stdout.startswith("::error::Only 0 of 1 file")
    # Nor was anything compared with an upstream that was named.
    assert project.run(*arguments, "--upstream", "engine").exit_code == 1
