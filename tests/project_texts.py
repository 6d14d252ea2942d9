"""The texts of the small projects that tests write, and the writing of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def hatchling(name: str, version: str, more: str = "", *, package: str = "") -> str:
    """The pyproject.toml of a distribution; ``more`` are lines of its table, ``package`` what its wheel has."""
    wheel = f'\n[tool.hatch.build.targets.wheel]\npackages = ["{package}"]\n' if package else ""
    return f"""\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
{more}{wheel}"""


def settings(upstream: str, source: str, package: str, *, backend: str = "backend") -> str:
    """The pyproject.toml of a project that follows one upstream; ``source`` says where that is."""
    return f"""\
[tool.syncbot]
backend = "{backend}"

[tool.syncbot.upstreams.{upstream}]
packages = ["{upstream}"]
{source}

[tool.syncbot.project]
package = "{package}"
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files by their paths below a folder; halves of surrogate pairs stand for bytes that are no UTF-8."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode("utf-8", "surrogateescape"))
