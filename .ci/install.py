"""Installs what a lock names into the environment of the Python that runs this, then syncbot itself.

usage: .venv/bin/python .ci/install.py LOCK

pip brings uv, which installs the rest at once; both ask the index that pip is configured for. No file is
taken that is not in the lock with its hash. Nothing is installed before: it imports the standard library
alone, and what needs no more.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from syncbot.verify.package_sources import pip_configuration, uv_variables  # noqa: E402


def entry(lock: str, name: str) -> str:
    """The lines of a lock that name one package with its hashes. Raises KeyError where there are none."""
    for found in re.split(r"\n(?=\S)", lock):
        if found.startswith(f"{name}=="):
            return found + "\n"
    raise KeyError(name)


def install(lock: Path) -> None:
    """Install it. Raises CalledProcessError where a package cannot be had; its output is told already."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    locked = ["--no-deps", "--require-hashes", "--requirement"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "uv.txt")
        file.write_text(entry(lock.read_text(encoding="utf-8"), "uv"), encoding="utf-8")
        subprocess.run([*pip, *locked, str(file)], check=True)
    uv = [str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", "--python", sys.executable]
    environment = os.environ | uv_variables(pip_configuration(), os.environ)
    # Any index may have the file: its hash says that it is the right one.
    anywhere = ["--index-strategy", "unsafe-best-match"]
    subprocess.run([*uv, *anywhere, *locked, str(lock)], check=True, env=environment)
    ours = ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    subprocess.run([*uv, *ours], check=True, env=environment)


def main(arguments: list[str]) -> int:
    """Install; return 1 where that failed."""
    try:
        install(Path(arguments[0]))
    except subprocess.CalledProcessError as error:
        print(f"failed: {' '.join(map(str, error.cmd))}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
