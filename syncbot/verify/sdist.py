"""Which source distribution a release was published as, and its file."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from packaging.version import Version
from pypi_simple import PYPI_SIMPLE_ENDPOINT

from syncbot.errors import EnvironmentFailure
from syncbot.upstream.index import PackageIndex
from syncbot.upstream.listing import IndexFile, address
from syncbot.verify.index import pip_configuration


def open_index(url: str | None) -> PackageIndex:
    """The package index at ``url``, else the one that pip is told to use. The caller closes it."""
    return PackageIndex(address(url or pip_configuration().get("index-url") or PYPI_SIMPLE_ENDPOINT))


def published_sdist(distribution: str, version: str, index: PackageIndex, cache: Path) -> IndexFile:
    """The source distribution of a release, as the package index describes it.

    Asked once: what is published under a version never changes, and the file is checked against the
    digest noted here ever after. Raises UsageError for an unknown distribution, EnvironmentFailure for a
    release without source distribution and when the index cannot be reached.
    """
    note = cache / "sdists" / f"{distribution}-{version}.json"
    try:
        return IndexFile(**json.loads(note.read_text(encoding="utf-8")))
    except (FileNotFoundError, json.JSONDecodeError, TypeError):
        pass
    for file in index.listing(distribution).files:
        if file.kind == "sdist" and Version(file.version) == Version(version):
            note.parent.mkdir(parents=True, exist_ok=True)
            unfinished = note.with_name(f".{note.name}.{os.getpid()}")
            unfinished.write_text(json.dumps(asdict(file)) + "\n", encoding="utf-8")
            unfinished.replace(note)
            return file
    raise EnvironmentFailure(
        f"the package index has no source distribution of {distribution} {version}: it cannot be built here"
    )
