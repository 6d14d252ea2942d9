"""A command begins at once: what it needs for its work is imported when it works, not for its help."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Each takes longer to import than Python takes to start.
SLOW = {"github", "jinja2", "libcst", "pydantic", "requests", "rich", "tomlkit", "tree_sitter", "yaml"}
PROGRAM = """
import json, sys
from click.testing import CliRunner
import syncbot.cli
done = CliRunner().invoke(syncbot.cli.main, json.loads(sys.argv[1]))
print(json.dumps([done.exit_code, done.stdout, sorted(sys.modules)]))
"""


def imported(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    code, told, modules = json.loads(done.stdout)
    assert code == 0
    assert told
    return {name.partition(".")[0] for name in modules}


def test_the_list_of_all_commands_needs_none_of_their_work() -> None:
    assert not imported("--help") & SLOW


@pytest.mark.parametrize("name", ["check", "verify", "publish", "triage", "site", "window"])
def test_the_help_of_a_command_needs_nothing_of_its_work(name: str) -> None:
    assert not imported(name, "--help") & SLOW


def test_the_table_of_lanes_reads_no_source() -> None:
    found = imported("matrix")
    assert "pydantic" in found
    assert not found & {"github", "jinja2", "libcst", "requests", "tree_sitter"}
