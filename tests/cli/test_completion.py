"""Completion, as a real shell asks for it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "completion.md").read_text(encoding="utf-8")


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH with ``syncbot`` on it."""
    program = tmp_path / "syncbot"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m syncbot "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return f"{tmp_path}:{os.environ['PATH']}"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("syncbot publish ", ["check", "index", "issue", "pr", "report"]),
        ("syncbot app", ["apply"]),
        ("syncbot check --format sa", ["sarif"]),
        ("syncbot check --no-such-thi", []),
    ],
)
def test_bash_completes_with_the_documented_line(path: str, line: str, expected: list[str]) -> None:
    documented = re.search(r"`(eval \"\$\(_SYNCBOT_COMPLETE=bash_source syncbot\)\")`", PAGE)
    assert documented is not None
    words = line.split(" ")
    script = f"""
        {documented[1]}
        COMP_WORDS=({" ".join(word or "''" for word in words)})
        COMP_CWORD={len(words) - 1}
        handler=$(complete -p syncbot | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
        $handler syncbot
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=True,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert sorted(done.stdout.split()) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_documented_shell_gets_a_script(shell: str) -> None:
    assert f"_SYNCBOT_COMPLETE={shell}_source syncbot" in PAGE
    done = subprocess.run(
        [sys.executable, "-m", "syncbot"], capture_output=True, text=True, check=True,
        env=os.environ | {"_SYNCBOT_COMPLETE": f"{shell}_source"},
    )  # fmt: skip
    assert f"{shell}_complete" in done.stdout
