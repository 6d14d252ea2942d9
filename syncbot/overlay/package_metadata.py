"""The metadata in the sources of a package: its packages, its name and version, its requirements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from syncbot.configuration_file import parsed_toml
from syncbot.errors import ConfigurationError

# Folders at the top of a repository that are packages for those who work on it.
_NOT_SHIPPED = frozenset({"tests", "test", "docs", "doc", "examples", "benchmarks", "tools", "scripts"})


@dataclass(frozen=True, slots=True)
class PackageMetadata:
    """``python`` is what its metadata say of Python; ``pins`` are the distributions that it requires, or
    builds with, in exactly one version."""

    python: str | None
    pins: dict[str, str]


def package_folders(root: Path) -> tuple[str, ...]:
    """The folders of the import packages below the root of unpacked sources: those that its metadata name,
    else those at the top or below ``src``. Raises ConfigurationError where there is none."""
    named = (file.read_text("utf-8").split() for file in sorted(root.glob("*.egg-info/top_level.txt")))
    below = [*(path.name for path in sorted(root.glob("*"))), *_below_src(root)]
    found = tuple(place for names in named for name in names if (place := _placed(root, name)) is not None)
    found = found or tuple(
        path for path in below if (root / path / "__init__.py").is_file() and path not in _NOT_SHIPPED
    )
    if not found:
        raise ConfigurationError(
            f"{root} holds no Python package: an overlay needs one with sources in Python"
        )
    return found


def _below_src(root: Path) -> list[str]:
    return [f"src/{path.name}" for path in sorted((root / "src").glob("*"))]


def _placed(root: Path, name: str) -> str | None:
    places = (name, f"src/{name}")
    return next((place for place in places if (root / place / "__init__.py").is_file()), None)


def package_metadata(root: Path) -> PackageMetadata:
    """Return the metadata in the PKG-INFO, the build table and ``requirements.txt`` of unpacked sources."""
    info = _text(root / "PKG-INFO")
    headers = HeaderParser().parsestr(info)
    project = _text(root / "pyproject.toml")
    build = parsed_toml(project).get("build-system", {}) if project else {}
    listed = [line.partition("#")[0].strip() for line in _text(root / "requirements.txt").splitlines()]
    told = [*headers.get_all("Requires-Dist", []), *build.get("requires", []), *listed]
    return PackageMetadata(headers.get("Requires-Python"), dict(_pins(told)))


def _pins(requirements: Iterable[str]) -> Iterable[tuple[str, str]]:
    for text in requirements:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        exact = [s.version for s in requirement.specifier if s.operator == "==" and "*" not in s.version]
        if exact and requirement.marker is None:
            yield canonicalize_name(requirement.name), exact[0]


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
