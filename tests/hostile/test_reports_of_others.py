"""A JSON report that somebody else wrote is refused in one line, or shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import syncbot.cli
from syncbot.errors import ConfigurationError
from syncbot.report.from_json import parse
from syncbot.report.untrusted_text import web_address
from syncbot.site.pages import file_name

COMMIT = {
    "sha": "0" * 40, "date": "2026-01-23T10:00:00Z", "author": "a", "subject": "s", "level": "low",
    "types": ["refactor"], "files": ["a.py"],
}  # fmt: skip


def report(web: str | None = None, **commit: Any) -> bytes:
    upstream = {"name": "engine", "from": "a", "to": "b", "web": web}
    whole = {"schema": 1, "upstream": upstream, "commits": [COMMIT | commit], "impacts": []}
    return msgspec.json.encode(whole)


@pytest.mark.parametrize(
    "commit",
    [{"types": ["evil"]}, {"advice": [{"kind": "evil"}]}, {"date": "0001-01-01T00:00:00Z"}, {"pr": 1.5}],
    ids=lambda commit: next(iter(commit)),
)
def test_what_nobody_could_show_is_refused(commit: dict[str, Any]) -> None:
    assert len(parse(report(), "r.json")) == 1
    with pytest.raises(ConfigurationError, match=r"^r\.json is no report of syncbot: "):
        parse(report(**commit), "r.json")


def test_a_report_nested_without_end(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    file.write_bytes(b"[" * 100_000)
    line = ["publish", "check", "--dry-run", "--repository", "a/b", "--sha", "0" * 40, str(file)]
    done = CliRunner().invoke(syncbot.cli.main, line)
    assert (done.exit_code, done.output.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("web", "target"),
    [
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("//h/x", None),
        ("https://", None),
        ("https://me:pa55@h/o/r/", "https://h/o/r"),
        ('https://h/a) "b<c>\n\\d\u202e', "https://h/a%29%20%22b%3Cc%3E%5Cd%E2%80%AE"),
        ("https://h/o/r?x=1#y", "https://h/o/r?x=1#y"),
    ],
)
def test_pages_of_upstreams(web: str, target: str | None) -> None:
    assert web_address(web) == target
    assert parse(report(web), "r.json")[0].web == target


def test_names_of_pages_fit_every_file_system() -> None:
    names = {file_name(f"src/{'x' * 300}{end}.py") for end in "ab"}
    assert len(names) == 2
    assert max(map(len, names)) < 250
    assert file_name("../../etc/passwd").startswith("passwd-")
