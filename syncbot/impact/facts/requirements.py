"""What a package requires, from requirements files and ``pyproject.toml``: PEP 508 lines by name."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name


def required(path: str, source: bytes) -> dict[str, str]:
    """Canonical name → what is required of it (versions, URL, markers), of the file at ``path``.

    Lines that are no requirement (options, paths) are left out, and so is a file that does not parse.
    """
    found: dict[str, list[str]] = {}
    text = source.decode("utf-8", "replace")
    lines = _pyproject(text) if path.endswith(".toml") else text.splitlines()
    for line in lines:
        try:
            requirement = Requirement(line.partition(" #")[0].strip())
        except InvalidRequirement:
            continue
        found.setdefault(canonicalize_name(requirement.name), []).append(_wanted(requirement))
    return {name: " | ".join(sorted(wanted)) for name, wanted in found.items()}


def _wanted(requirement: Requirement) -> str:
    version = f"@ {requirement.url}" if requirement.url else str(requirement.specifier) or "*"
    return f"{version}; {requirement.marker}" if requirement.marker else version


def _pyproject(text: str) -> Iterator[str]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    project, build = document.get("project", {}), document.get("build-system", {})
    groups = project.get("optional-dependencies", {}).values()
    for lines in (project.get("dependencies", ()), build.get("requires", ()), *groups):
        yield from _texts(lines)


def _texts(lines: Iterable[object]) -> Iterator[str]:
    yield from (line for line in lines if isinstance(line, str))
