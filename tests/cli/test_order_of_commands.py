"""An answer does not depend on what was asked before."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import syncbot.cli
from tests.budget import tries
from tests.upstream.package_index import File, Index, tar

PLUGIN = """
from the_toy.text import clean, split, join

clean("a", strict=True)
split("a", 1)
join("a")
"""
# What each release has lost, so that each one breaks a line of its own.
RELEASES = {
    "0.7": ("2026-01-05", "def clean(text, strict=False): ...\ndef split(text, n=1): ...\ndef join(a): ...\n"),
    "0.8rc1": ("2026-01-20", "def clean(text): ...\ndef split(text, n=1): ...\ndef join(a): ...\n"),
    "0.8": ("2026-02-05", "def clean(text): ...\ndef split(text, n=1): ...\ndef join(a): ...\n"),
    "0.9": ("2026-03-05", "def clean(text): ...\ndef split(text): ...\ndef join(a): ...\n"),
    "0.9.1": ("2026-04-20", "def clean(text): ...\ndef split(text): ...\ndef join(a): ...\n"),
    "1.0": ("2026-04-05", "def clean(text): ...\ndef split(text): ...\ndef join(a, b): ...\n"),
}  # fmt: skip
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("check", "--from", "0.7", "--to", "1.0", "--format", "json"),
    ("check", "--from", "0.8", "--to", "latest", "--format", "json"),
    ("check", "--from", "0.8rc1", "--to", "0.9"),
    ("check", "--from", "latest~2", "--to", "latest~1"),
    ("check", "--since", "2026-02-01", "--until", "2026-03-31", "--format", "markdown"),
    ("check", "--since", "2026-05-01", "--until", "2026-05-02", "--format", "json"),
    ("migrate", "--from", "0.7", "--to", "0.9", "--check"),
    ("contracts", "--at", "0.9"),
    ("plan", "--from", "0.7", "--to", "1.0"),
    ("explain", "the_toy.text.split", "--from", "0.7", "--to", "1.0"),
)


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A plugin that follows the releases of an index; nothing but a cache is written."""
    root = tmp_path_factory.mktemp("plugin")
    (root / "py/my_plugin").mkdir(parents=True)
    (root / "py/my_plugin/a.py").write_text(PLUGIN, encoding="utf-8")
    files = [
        File(
            f"toy-{version}.tar.gz",
            tar({f"toy-{version}/the_toy/__init__.py": b"", f"toy-{version}/the_toy/text.py": text.encode()}),
            uploaded=f"{day}T03:04:05Z",
        )
        for version, (day, text) in RELEASES.items()
    ]
    with Index(files) as index:
        (root / "pyproject.toml").write_text(
            f'[tool.syncbot]\nbackend = "py"\nindex = "{index.url}"\ntimezone = "UTC"\n'
            '[tool.syncbot.upstreams.toy]\npackages = ["the_toy"]\nrelease = "toy"\n',
            encoding="utf-8",
        )
        yield root


def answers(root: Path, cache: Path, commands: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    """The exit code and the output of each command, one after the other on one cache."""
    environment = {"SYNCBOT_CACHE": str(cache), "COLUMNS": "100"}
    found = []
    with contextlib.chdir(root):
        for command in commands:
            done = CliRunner().invoke(syncbot.cli.main, command, env=environment)
            found.append((done.exit_code, done.stdout))
    return found


@pytest.fixture(scope="module")
def alone(plugin: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], tuple[int, str]]:
    """Return the answer of each command on a cache of its own."""
    return {command: answers(plugin, tmp_path_factory.mktemp("cache"), [command])[0] for command in COMMANDS}


def test_each_release_is_told_by_itself(alone: dict[tuple[str, ...], tuple[int, str]]) -> None:
    code, told = alone[COMMANDS[0]]
    assert code == 1
    for version in ("0.8", "0.9", "0.9.1", "1.0"):
        assert f'"toy {version}"' in told
    assert "0.8rc1" not in told
    assert {code for code, _ in alone.values()} <= {0, 1}


@pytest.mark.long
@settings(max_examples=tries(day=3, nightly=30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(COMMANDS).map(lambda order: order[:6]))
def test_the_order_of_commands_changes_no_answer(
    plugin: Path,
    alone: dict[tuple[str, ...], tuple[int, str]],
    tmp_path_factory: pytest.TempPathFactory,
    order: Sequence[tuple[str, ...]],
) -> None:
    cache = tmp_path_factory.mktemp("cache")
    assert answers(plugin, cache, order) == [alone[command] for command in order]
