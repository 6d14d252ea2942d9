"""Reads a package's requirements from requirements files, ``pyproject.toml`` and ``setup.py`` (PEP 508)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from syncbot.api.every_node import every_node
from syncbot.configuration_file import parsed_toml

_SETUP = ("install_requires", "extras_require", "setup_requires")


def required(path: str, source: bytes) -> dict[str, str]:
    """Canonical name → versions, URL and markers that a file requires; what does not parse is left out."""
    found: dict[str, list[str]] = {}
    text = source.decode("utf-8", "replace")
    if path.endswith(".toml"):
        lines: Iterable[str] = _pyproject(text)
    else:
        lines = _setup(source) if path.endswith(".py") else text.splitlines()
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
        document = parsed_toml(text)
    except ValueError:
        return
    project, build = _table(document, "project"), _table(document, "build-system")
    groups = _table(project, "optional-dependencies").values()
    for lines in (project.get("dependencies", ()), build.get("requires", ()), *groups):
        yield from (line for line in lines if isinstance(line, str)) if isinstance(lines, list) else ()


def _table(document: dict[str, Any], key: str) -> dict[str, Any]:
    found = document.get(key)
    return found if isinstance(found, dict) else {}


def _setup(source: bytes) -> Iterator[str]:
    """The texts that are literally given to ``setup()``; what a program computes, only running it tells."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return
    for node in every_node(tree):
        if isinstance(node, ast.keyword) and node.arg in _SETUP:
            yield from _literals(node.value)


def _literals(node: ast.expr) -> Iterator[str]:
    """The texts in lists, also in those that are values of a dictionary; not what a call is given."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            for part in parts:
                yield from _literals(part)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _literals(left)
            yield from _literals(right)
