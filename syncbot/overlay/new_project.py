"""The files of a new overlay project, from what the package and upstream's releases say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import tomlkit
from packaging.version import Version

from syncbot.errors import UsageError
from syncbot.lanes import matrix
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.overlay.package_metadata import PackageMetadata

_ANY_PYTHON = ">=3.10"


@dataclass(frozen=True, slots=True)
class Asked:
    """The request for an overlay: ``package`` (NAME==VERSION) of the source distribution ``sha256``, the name
    of upstream's distribution, the version that the package was made for, and those of the lanes."""

    package: str
    sha256: str
    upstream: str
    baseline: str
    lanes: tuple[str, ...]


def files(asked: Asked, metadata: PackageMetadata) -> dict[str, bytes]:
    """The files of the project by path."""
    return {
        "syncbot.toml": _settings(asked).encode(),
        "compat_matrix.yaml": matrix.dump(_matrix(asked, metadata)).encode(),
        ".gitignore": b"/build/\n/dist/\n",
        "patches/.gitkeep": b"",
        "evidence/.gitkeep": b"",
    }


def made_for(version: str, releases: Sequence[Version]) -> str:
    """The release of upstream that a version of a package was made for, going by their numbers. Raises
    UsageError where none has its number."""
    base = Version(Version(version).base_version)
    if base in releases:
        return str(base)
    raise UsageError(f"upstream has no release {base}: say with --baseline what {version} was made for")


def _settings(asked: Asked) -> str:
    document = tomlkit.document()
    document["upstream"] = asked.upstream
    document["tests"] = []
    document["overlay"] = {"package": asked.package, "sha256": asked.sha256}
    packages = [re.sub(r"[-.]", "_", asked.upstream)]
    document["upstreams"] = {asked.upstream: {"packages": packages, "release": asked.upstream}}
    return tomlkit.dumps(document)


def _matrix(asked: Asked, metadata: PackageMetadata) -> Matrix:
    lanes = tuple(
        _lane(asked, version, metadata.python or _ANY_PYTHON, metadata.pins)
        for version in dict.fromkeys((asked.baseline, *asked.lanes))
    )
    return Matrix(upstream=asked.upstream, baseline=f"v{asked.baseline}", lanes=lanes)


def _lane(asked: Asked, version: str, python: str, pins: Mapping[str, str]) -> Lane:
    made_of = asked.package.partition("==")[2]
    wheel = f"{made_of}+{re.sub('[^a-z]', '', asked.upstream.lower())}{version.replace('+', '.')}"
    stack: dict[str, str | None] = {name: pins[name] for name in sorted(pins)}
    return Lane(tag=f"v{version}", wheel=wheel, python=python, stack=stack)
