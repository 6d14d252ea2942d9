"""A picture of a terminal: the command, its output and its exit code; it loads nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def made(output: Path, *command: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, ROOT / ".ci/picture.py", output, "--", *command]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_it_shows_the_command_and_its_output(tmp_path: Path) -> None:
    picture = tmp_path / "pictures/a.svg"
    done = made(
        picture, "python", "-c", "import sys; print(chr(27) + '[31mred <b>' + chr(27) + '[0m'); sys.exit(1)"
    )
    assert (done.returncode, done.stderr) == (1, "")
    text = picture.read_text(encoding="utf-8")
    assert "red&#160;&lt;b&gt;" in text
    assert "\x1b" not in text
    assert not re.search(r"url\(\"?http|@import|@font-face|<script|<image", text)
    again = tmp_path / "b.svg"
    made(again, "python", "-c", "import sys; print(chr(27) + '[31mred <b>' + chr(27) + '[0m'); sys.exit(1)")
    assert again.read_bytes() == picture.read_bytes()


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = made(tmp_path / "a.svg", "no-such-program")
    assert (done.returncode, "there is no program no-such-program" in done.stderr) == (2, True)
    assert not (tmp_path / "a.svg").exists()
