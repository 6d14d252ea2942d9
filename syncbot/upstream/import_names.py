"""Under which names the packages in a tree of files are imported."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Folders and files at the top of many projects that hold Python but are not what is shipped.
_NOT_SHIPPED = frozenset(
    {
        *("benchmark", "benchmarks", "build", "ci", "cmake", "conftest", "doc", "docker", "docs", "example"),
        *("examples", "noxfile", "script", "scripts", "setup", "tasks", "test", "testing", "tests", "tools"),
    }
)
# Folders in which projects keep their packages.
_AROUND = ("src", "python", "lib")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def is_distribution(name: str) -> bool:
    """Whether a distribution of a package index may be called so."""
    return _DISTRIBUTION.fullmatch(name) is not None


def packages_of(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the packages with an ``__init__.py`` at the top of a tree, or below ``src``."""
    divided = (path.split("/") for path in paths if path.endswith("/__init__.py"))
    tops = {parts[parts[0] == "src"] for parts in divided if len(parts) == 2 + (parts[0] == "src")}
    return _shipped(tops)


def import_names(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the import names of a distribution from the paths in its wheel or sdist: packages, else what
    holds any Python file, else modules."""
    files = [path.split("/") for path in paths if path.endswith((".py", ".pyi"))]
    inside = [parts[1:] if parts[0] in _AROUND and len(parts) > 1 else parts for parts in files]
    return (
        _shipped({parts[0] for parts in inside if len(parts) == 2 and parts[1] == "__init__.py"})
        or _shipped({parts[0] for parts in inside if len(parts) > 1})
        or _shipped({parts[0].partition(".")[0] for parts in inside if len(parts) == 1})
    )


def _shipped(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in names - _NOT_SHIPPED if name.isidentifier()))
