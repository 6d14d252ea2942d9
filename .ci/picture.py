"""A picture of a command and its output in a terminal, as SVG. It loads nothing, and is the same twice.

usage: python .ci/picture.py OUTPUT -- COMMAND...

The picture of the README, after `make demo`:
python .ci/picture.py docs/pictures/report.svg -- syncbot check --backend build/lanes/v0.32.0 \\
    --by releases --from 0.32.0 --to 0.33.0
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 104
# Rich asks a web server for its font; a page of ours asks nobody.
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def picture(command: Sequence[str], output: str) -> str:
    """Return the SVG of a terminal that shows a command and its output, whose colours are ANSI sequences."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text(f"$ {shlex.join(command)}", "bold"), overflow="fold")
    console.print(Text.from_ansi(output.rstrip("\n")), overflow="fold")
    made = _FONTS.sub("", console.export_svg(title=command[0], unique_id="terminal"))
    return made.replace("Fira Code", "ui-monospace, Menlo, Consolas").rstrip("\n") + "\n"


def main() -> int:
    """Run the command and write its picture; exit as it does."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path)
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    program = shutil.which(
        given.command[0], path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
    )
    if program is None:
        parser.error(f"there is no program {given.command[0]}")
    done = subprocess.run(
        [program, *given.command[1:]],
        env={**os.environ, "FORCE_COLOR": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(picture(given.command, done.stdout), encoding="utf-8")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
