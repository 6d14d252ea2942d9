"""``check --since last-report``: a month of late and failed jobs, of which no commit is lost or told twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import syncbot.cli
from tests.cli.conftest import Project, begin, project_in

from .github_server import Fault, State

Run = Callable[..., Result]
CHECK = (
    "check",
    "--engine",
    "contracts",
    "--fail-on",
    "never",
    "--format",
    "markdown",
    "--output",
    "report.md",
)


@pytest.fixture
def engine(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A plugin in the current folder, whose first report is published."""
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "begun").mkdir()
    made = project_in(tmp_path, begin(tmp_path / "begun"))
    monkeypatch.chdir(made.plugin)
    made.noise()
    assert checked("--from", "v0.1.0").exit_code == 0
    assert run("report", "report.md", "--day", "2026-01-01").exit_code == 0
    return made


def checked(*arguments: str) -> Result:
    return CliRunner().invoke(syncbot.cli.main, [*CHECK, *arguments])


def told(state: State) -> list[str]:
    """The short shas of the commits that the published reports tell, each time that they do."""
    texts = [issue["body"] for issue in state.issues] + [comment["body"] for comment in state.comments]
    return [
        sha for text in texts for sha in re.findall(r"^(?:- |###.*</a>)`([0-9a-f]{10})`", text, re.MULTILINE)
    ]


@pytest.mark.long
def test_a_month(engine: Project, run: Run, state: State) -> None:
    made = [sha[:10] for sha in told(state)]
    for day in range(2, 31):
        for _ in range(day * 7 % 4):
            made.append(engine.noise()[:10])
        # The runner comes late every fifth day, and has nothing of the day before.
        if day % 5 == 0:
            continue
        Path("report.md").unlink(missing_ok=True)
        result = checked("--since", "last-report", "--skip-empty")
        assert result.exit_code == 0, result.output
        if day % 7 == 0 or not Path("report.md").exists():
            continue  # the job ends before it has published, or there is nothing to publish
        if day % 4 == 0:
            state.faults.append(Fault("POST", "/issues", 422))
            assert run("report", "report.md", "--day", f"2026-01-{day:02}").exit_code == 3
            state.faults.clear()
            continue
        assert run("report", "report.md", "--day", f"2026-01-{day:02}").exit_code == 0
    Path("report.md").unlink(missing_ok=True)
    assert checked("--since", "last-report").exit_code == 0
    assert run("report", "report.md", "--day", "2026-01-31").exit_code == 0
    assert len(made) > 30
    assert sorted(told(state)) == sorted(made)


def test_a_quiet_day_writes_nothing(engine: Project) -> None:
    Path("report.md").unlink()
    quiet = checked("--since", "last-report", "--skip-empty")
    assert (quiet.exit_code, quiet.stdout) == (0, "")
    assert quiet.stderr.endswith("No commit came in: no report is written.\n")
    assert not Path("report.md").exists()
    engine.noise()
    checked("--since", "last-report", "--skip-empty")
    assert Path("report.md").exists()


def test_a_second_report_of_a_day_replaces_the_first_with_all_of_it(
    engine: Project, run: Run, state: State
) -> None:
    before = told(state)
    shas = []
    for _ in range(2):
        shas.append(engine.noise()[:10])
        Path("report.md").unlink(missing_ok=True)
        checked("--since", "last-report")
        assert run("report", "report.md").exit_code == 0
    assert sorted(told(state)) == sorted([*before, *shas])
    assert len(state.issues) == 2


def test_a_report_without_its_last_part_does_not_count(engine: Project, run: Run, state: State) -> None:
    sha = engine.noise()[:10]
    Path("report.md").unlink()
    checked("--since", "last-report")
    text = Path("report.md").read_text(encoding="utf-8")
    body, mark, rest = text.partition("<!-- syncbot covers")
    Path("report.md").write_text(f"{body}\n{'word ' * 20_000}\n\n{mark}{rest}", encoding="utf-8")
    assert run("report", "report.md", "--day", "2026-01-02").exit_code == 0
    assert "syncbot covers" in state.comments[-1]["body"]
    Path("report.md").unlink()
    checked("--since", "last-report")
    assert f"`{sha}`" not in Path("report.md").read_text(encoding="utf-8")
    state.comments.clear()
    Path("report.md").unlink()
    checked("--since", "last-report")
    assert f"`{sha}`" in Path("report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("style", ["markdown", "html", "json"])
def test_the_file_that_will_be_replaced_says_it_too(
    engine: Project, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    line = ["check", "--engine", "contracts", "--format", style, "--output", "kept"]
    CliRunner().invoke(syncbot.cli.main, [*line, "--from", "v0.1.0"])
    first = Path("kept").read_text(encoding="utf-8")
    sha = engine.noise()[:10]
    done = CliRunner().invoke(syncbot.cli.main, [*line, "--since", "last-report"])
    assert done.exit_code == 0, done.output
    second = Path("kept").read_text(encoding="utf-8")
    assert (sha in first, sha in second) == (False, True)


def test_without_any_report_to_look_at(engine: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    Path("report.md").unlink()
    done = checked("--since", "last-report")
    assert done.exit_code == 2
    assert "name the first range with --from or --since yesterday" in done.stderr
