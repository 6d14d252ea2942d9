"""A command begins at once: what it needs for its work is imported when it works, not for its help."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

import syncbot.cli

ROOT = Path(__file__).parents[2]
# Each takes longer to import than Python takes to start.
SLOW = {"github", "jinja2", "libcst", "pydantic", "requests", "rich", "tomlkit", "tree_sitter", "yaml"}
PROGRAM = """
import json, sys
from click.testing import CliRunner
import syncbot.cli
for line in json.loads(sys.argv[1]):
    done = CliRunner().invoke(syncbot.cli.main, line)
    assert done.exit_code == 0 and done.stdout, (line, done)
print(json.dumps(sorted(sys.modules)))
"""


def imported(*lines: list[str]) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(lines)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


def commands(group: click.Group, *before: str) -> Iterator[list[str]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        yield [*before, name]
        if isinstance(inner := group.get_command(context, name), click.Group):
            yield from commands(inner, *before, name)


def test_the_list_of_all_commands_needs_none_of_their_work() -> None:
    assert not imported(["--help"]) & SLOW


def test_the_help_of_a_command_needs_nothing_of_its_work() -> None:
    found = list(commands(syncbot.cli.main))
    assert ["overlay", "build"] in found
    assert not imported(*([*name, "--help"] for name in found)) & SLOW


def test_the_table_of_lanes_reads_no_source() -> None:
    found = imported(["matrix"])
    assert "pydantic" in found
    assert not found & {"github", "jinja2", "libcst", "requests", "tree_sitter"}
