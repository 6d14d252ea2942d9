"""``syncbot publish report`` on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from .github_server import Call, State, complaints
from .test_report_issue import REPORT, long


def test_the_command_reads_a_file_or_standard_input(
    state: State, run: Callable[..., Result], tmp_path: Path
) -> None:
    file = tmp_path / "report.md"
    file.write_text(REPORT.text, encoding="utf-8")
    done = run("report", str(file), "--day", "2026-01-23")
    assert (done.exit_code, done.output) == (0, f"issue opened: {state.issues[0]['html_url']}\n")
    done = run("report", "-", "--day", "2026-01-23", input=REPORT.text + "more\n")
    assert done.exit_code == 0
    assert len(state.issues) == 1
    assert "more" in state.issues[0]["body"]


def test_a_dry_run_sends_nothing_and_shows_what_is_sent_then(
    state: State, run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report.md"
    file.write_text(long(20).text, encoding="utf-8")
    args = ("report", str(file), "--day", "2026-01-23", "--close-after", "3")
    with monkeypatch.context() as patch:
        patch.delenv("GITHUB_TOKEN")
        dry = run(*args, "--dry-run")
    assert dry.exit_code == 0
    assert state.calls == []
    shown = printed(dry.stdout)
    assert [complaint for call in shown for complaint in complaints(call)] == []
    assert run(*args).exit_code == 0
    assert shown == state.calls


def test_an_upgrade_in_a_dry_run(state: State, run: Callable[..., Result], tmp_path: Path) -> None:
    file = tmp_path / "upgrade.md"
    file.write_text("# lib 1.0 to 2.0\n\n<!-- syncbot covers lib v1.0 v2.0 -->\n", encoding="utf-8")
    dry = run("issue", str(file), "--dry-run")
    assert (dry.exit_code, state.calls) == (0, [])
    shown = printed(dry.stdout)
    assert [complaint for call in shown for complaint in complaints(call)] == []
    done = run("issue", str(file))
    assert (done.exit_code, shown) == (0, state.calls)


def printed(text: str) -> list[Call]:
    """The requests that a dry run printed; the numbers that it cannot know are those of a new repository."""
    text = text.replace("{number}", "1")
    calls = []
    for block in re.split(r"^(?=(?:GET|POST|PATCH|DELETE) /)", text, flags=re.MULTILINE)[1:]:
        line, _, body = block.partition("\n")
        method, _, url = line.partition(" ")
        path, _, query = url.partition("?")
        pairs = dict(pair.split("=", 1) for pair in query.split("&")) if query else {}
        calls.append(Call(method, path, pairs, json.loads(body) if body.strip() else None))
    return calls


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("report", "nowhere.md"), "nowhere.md cannot be read"),
        (("report", "-", "--day", "tomorrow"), "'tomorrow' is not a day: write it as 2026-01-23"),
        (("report", "-", "--repository", "backend"), "'backend' is no repository such as"),
        (("report", "-", "--close-after", "-1"), "-1 is not in the range"),
    ],
)
def test_wrong_use(state: State, run: Callable[..., Result], args: tuple[str, ...], message: str) -> None:
    done = run(*args, input="# Report\n")
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert state.calls == []
