"""A command of syncbot in a fork of the tests' own process: a Python that starts anew imports for half a second."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import subprocess
from pathlib import Path

from tests.forked_program import forked


@functools.cache
def _imported() -> None:
    """Import what commands import when they run, once for all of them."""
    for name in ("syncbot.cli", "syncbot.workflows"):
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{name}.{module.name}")


def command(
    *arguments: str, folder: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """How ``syncbot`` ended with these arguments, and these variables more, and what it printed. It runs in
    the folder, else where the tests run."""
    _imported()
    return forked(f"""
import os, sys
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.chdir({str(folder or Path.cwd())!r})
os.environ |= {variables!r}
sys.argv = ["syncbot", *{arguments!r}]
from syncbot.__main__ import run
run()
""")
