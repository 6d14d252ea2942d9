"""Which file of a release an environment is built from: its source distribution, or else its wheel."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from syncbot.atomic import write_file
from syncbot.errors import EnvironmentFailure
from syncbot.upstream.index_listing import IndexFile, address
from syncbot.verify.package_sources import pip_configuration

if TYPE_CHECKING:
    from syncbot.upstream.package_index import PackageIndex


def open_index(url: str | None) -> PackageIndex:
    """The package index at ``url``, else the one that pip is told to use. The caller closes it."""
    # A client of package indexes takes as long to import as the rest of the command together.
    from pypi_simple import PYPI_SIMPLE_ENDPOINT

    from syncbot.upstream.package_index import PackageIndex

    return PackageIndex(address(url or pip_configuration().get("index-url") or PYPI_SIMPLE_ENDPOINT))


def published_source(distribution: str, version: str, url: str | None, cache: Path) -> IndexFile:
    """A release's source distribution, else its wheel for this machine, asked of the index at ``url`` once.
    Raises UsageError for an unknown distribution, EnvironmentFailure."""
    note = cache / "sdists" / f"{distribution}-{version}.json"
    try:
        return IndexFile(**json.loads(note.read_text(encoding="utf-8")))
    except (FileNotFoundError, json.JSONDecodeError, TypeError):
        pass
    with closing(open_index(url)) as index:
        listed = index.listing(distribution).files
    files = [file for file in listed if Version(file.version) == Version(version)]
    sdists = [file for file in files if file.kind == "sdist"]
    for file in sdists or _for_this_machine(files):
        write_file(note, f"{json.dumps(asdict(file))}\n".encode())
        return file
    raise EnvironmentFailure(
        f"the package index has neither a source distribution of {distribution} {version} nor a wheel of it "
        "for this machine: it cannot be built here"
    )


def _for_this_machine(files: Sequence[IndexFile]) -> list[IndexFile]:
    """The wheels that this Python could install, best first."""
    ranks = {tag: rank for rank, tag in enumerate(sys_tags())}
    fitting = []
    for file in files:
        tags = parse_wheel_filename(file.filename)[3] if file.kind == "wheel" else frozenset()
        fitting += [(min(ranks[tag] for tag in tags & ranks.keys()), file)] if tags & ranks.keys() else []
    return [file for _, file in sorted(fitting, key=lambda each: (each[0], each[1].filename))]
