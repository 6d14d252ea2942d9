"""Which engines look for breaks, and what a report says where one could not finish."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import syncbot.cli
from syncbot.errors import EnvironmentFailure
from syncbot.report.covered import covered_in
from syncbot.typecheck.model import Diagnostic, Finding, Job
from syncbot.typecheck.registry import find, register
from tests.upstream.package_index import File, Index, tar

from .conftest import Project

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/report.json").read_text())
WHY = "ty did not end within 900 s of processor"


class Busy:
    """A checker that is installed and never gets to its end."""

    name = "ty"
    memory = 1

    def version(self) -> str | None:
        return "0"

    def diagnostics(self, job: Job) -> frozenset[Diagnostic]:
        raise EnvironmentFailure(WHY)

    def read(self, diagnostic: Diagnostic) -> Finding | None:
        raise AssertionError(diagnostic)


@pytest.fixture
def busy() -> Iterator[None]:
    known = {engine.name: engine for engine in find()}["ty"]
    register(Busy())
    yield
    register(known)


def engines(report: Mapping[str, object]) -> object:
    return report["engines"]


FINISHED = {"state": "finished", "reason": ""}


@pytest.mark.usefixtures("busy")
def test_without_a_word_the_contract_engine_alone_is_asked(project: Project) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    result = project.run("check", "--from", "v0.1.0", "--format", "json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["engines"]) == (1, [{"name": "contracts", **FINISHED}])
    assert {tuple(impact["engines"]) for impact in report["impacts"]} == {("contracts",)}


@pytest.mark.usefixtures("busy")
def test_an_engine_that_cannot_finish_is_told_first_and_fails_the_check(project: Project) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    both = ("check", "--from", "v0.1.0", "--engine", "contracts", "--engine", "ty")
    text = project.run(*both)
    assert text.exit_code == 3
    first = text.stdout.splitlines()[0]
    assert f": Incomplete: ty could not finish ({WHY}); what it would find is lacking. 1 of 1 commit" in first
    assert "--allow-incomplete" in text.stderr
    result = project.run(*both, "--format", "json")
    report = json.loads(result.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    lacking = {"name": "ty", "state": "incomplete", "reason": WHY}
    assert (result.exit_code, report["engines"]) == (3, [{"name": "contracts", **FINISHED}, lacking])
    assert [impact["symbol"] for impact in report["impacts"]] == ["engine.text.clean"]
    # What was not looked at is no break, and not nothing either.
    project.noise()
    newest = ("check", "--from", "HEAD~1", "--engine", "contracts", "--engine", "ty")
    assert project.run(*newest).exit_code == 3


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("style", ["markdown", "html", "github", "sarif"])
def test_every_format_says_so(project: Project, style: str) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    asked = ("--engine", "contracts", "--engine", "ty", "--allow-incomplete", "--format", style)
    result = project.run("check", "--from", "v0.1.0", *asked)
    assert (result.exit_code, WHY in result.stdout) == (1, True)
    assert result.stdout.index(WHY) < result.stdout.index("engine.text")
    if style == "sarif":
        assert json.loads(result.stdout)["runs"][0]["invocations"][0]["executionSuccessful"] is False
    if style == "github":
        assert result.stdout.startswith("::error::Incomplete: ty")


@pytest.mark.usefixtures("busy")
def test_who_goes_on_gets_the_findings_and_their_exit_code(project: Project) -> None:
    project.noise()
    on = ("--engine", "contracts", "--engine", "ty", "--allow-incomplete")
    assert project.run("check", "--from", "v0.1.0", *on).exit_code == 0
    assert project.run("check", "--from", "v0.1.0", "--engine", "contracts").exit_code == 0


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("style", ["markdown", "json"])
def test_what_an_incomplete_report_tells_is_told_again(project: Project, tmp_path: Path, style: str) -> None:
    project.change("engine/text.py", "def clean", "def tidy")
    report = tmp_path / "report"
    to_file = ("check", "--format", style, "--output", str(report), "--engine", "contracts")
    ends = []
    for asked in (("--engine", "ty"), ()):
        project.run(*to_file, *asked, "--from", "v0.1.0")
        (covered,) = covered_in(report.read_text()).values()
        ends.append(covered.new == covered.old)
    assert ends == [True, False]


@pytest.mark.usefixtures("busy")
def test_the_configuration_says_which_engines_are_asked(project: Project) -> None:
    project.noise()
    configuration = project.plugin / "pyproject.toml"
    configuration.write_text(configuration.read_text() + '\n[tool.syncbot]\nengines = ["contracts", "ty"]\n')
    assert project.run("check", "--from", "v0.1.0").exit_code == 3
    assert project.run("check", "--from", "v0.1.0", "--engine", "contracts").exit_code == 0
    migrated = project.run("migrate", "--from", "v0.1.0", "--check")
    assert (migrated.exit_code, WHY in migrated.stderr) == (3, True)
    assert project.run("migrate", "--from", "v0.1.0", "--check", "--engine", "contracts").exit_code == 0
    configuration.write_text(configuration.read_text().replace('"ty"', '"tie"'))
    unknown = project.run("check", "--from", "v0.1.0")
    assert (unknown.exit_code, "there is no type checker 'tie'" in unknown.stderr) == (2, True)


@pytest.mark.long
def test_the_findings_of_a_range_do_not_depend_on_which_releases_are_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = ("0.7", "0.8", "0.9", "1.0", "1.1")
    lost = versions.index("0.9")
    files = [
        File(f"toy-{version}.tar.gz", tar({f"toy-{version}/the_toy/__init__.py": b"",
             f"toy-{version}/the_toy/text.py": b"def clean(text): ...\n" if at < lost else b"LIMIT = 1\n"}))
        for at, version in enumerate(versions)
    ]  # fmt: skip
    plugin = tmp_path / "plugin"
    (plugin / "my_plugin").mkdir(parents=True)
    (plugin / "pyproject.toml").write_text('[project]\nname = "my-plugin"\ndependencies = ["toy"]\n')
    (plugin / "my_plugin/__init__.py").write_text("from the_toy.text import clean\n\nclean('a')\n")

    def check(old: str, new: str) -> dict[str, object]:
        asked = ("check", "--backend", str(plugin), "--upstream", "toy", "--from", old, "--to", new)
        wanted = ("--engine", "contracts", "--engine", "pyrefly", "--engine", "ty", "--format", "json")
        report: dict[str, object] = json.loads(CliRunner().invoke(syncbot.cli.main, [*asked, *wanted]).stdout)
        return report

    with Index(files) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        found = []
        for order in ([("0.7", "1.1")], [("0.8", "0.9"), ("0.9", "1.0"), ("0.7", "1.1")]):
            monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / f"cache-{len(order)}"))
            found.append([check(*ends) for ends in order][-1])
    few, all_ = found
    for report in found:
        (impact,) = report["impacts"]  # type: ignore[misc]
        assert (impact["verdict"], impact["engines"]) == ("breaks", ["contracts", "pyrefly", "ty"])
    assert few["engines"] == all_["engines"]
