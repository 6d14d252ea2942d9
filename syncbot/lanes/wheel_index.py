"""A folder of wheels as a package index of static files: PEP 503, also as JSON (PEP 691), with digests and
metadata (PEP 658)."""

from __future__ import annotations

import hashlib
import html
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from pathlib import Path

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from syncbot.atomic import write_file
from syncbot.errors import EnvironmentFailure

FOLDER = "simple"

_METADATA = 1_000_000  # No wheel has more; a small one may unpack to anything.


@dataclass(frozen=True, slots=True)
class Listed:
    """A wheel as an index lists it: file name, size, digest, Python range, and the bytes of its metadata."""

    name: str
    version: Version
    file: str
    size: int
    sha256: str
    requires_python: str | None
    metadata: bytes

    @property
    def metadata_sha256(self) -> str:
        """The digest of the metadata."""
        return hashlib.sha256(self.metadata).hexdigest()


def write_index(folder: Path) -> list[Listed]:
    """Index all wheels of a folder, former ones too, and return them by name. Raises EnvironmentFailure."""
    listed = sorted(
        (read(wheel) for wheel in folder.glob("*.whl")), key=lambda x: (x.name, x.version, x.file)
    )
    for wheel in listed:
        write_file(folder / f"{wheel.file}.metadata", wheel.metadata)
    names = sorted({wheel.name for wheel in listed})
    for name in names:
        files = [wheel for wheel in listed if wheel.name == name]
        page = _page(f"Links for {name}", [_link(wheel) for wheel in files])
        write_file(folder / FOLDER / name / "index.html", page.encode())
        versions = list(dict.fromkeys(str(wheel.version) for wheel in files))
        of_name = {"name": name, "versions": versions, "files": [_file(wheel) for wheel in files]}
        write_file(folder / FOLDER / name / "index.json", _json(of_name))
    root = _page("Index", [f'<a href="{name}/">{name}</a><br>' for name in names])
    write_file(folder / FOLDER / "index.html", root.encode())
    write_file(folder / FOLDER / "index.json", _json({"projects": [{"name": name} for name in names]}))
    return listed


def read(wheel: Path) -> Listed:
    """A wheel as an index lists it. Raises EnvironmentFailure for what is no readable wheel."""
    try:
        name, version, _, _ = parse_wheel_filename(wheel.name)
        content = wheel.read_bytes()
        with zipfile.ZipFile(wheel) as archive:
            place = _metadata_path(archive, wheel.name)
            if archive.getinfo(place).file_size > _METADATA:
                raise KeyError(f"its METADATA has more than {_METADATA:,} bytes")
            metadata = archive.read(place)
    except (InvalidWheelFilename, KeyError, OSError, zipfile.BadZipFile) as error:
        raise EnvironmentFailure(f"{wheel} is no readable wheel: {error}; remove or rebuild it") from error
    headers = BytesHeaderParser().parsebytes(metadata)
    return Listed(
        name=str(name),
        version=version,
        file=wheel.name,
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        requires_python=headers["Requires-Python"],
        metadata=metadata,
    )


def _metadata_path(archive: zipfile.ZipFile, file: str) -> str:
    """The metadata of the wheel itself: the one at the top whose folder has the name of the file."""
    owner = canonicalize_name(file.split("-")[0])
    for path in archive.namelist():
        top = path.removesuffix(".dist-info/METADATA")
        if top != path and "/" not in top and canonicalize_name(top.split("-")[0]) == owner:
            return path
    raise KeyError("it holds no METADATA")


def _link(wheel: Listed) -> str:
    attributes = {"href": f"../../{wheel.file}#sha256={wheel.sha256}"}
    if wheel.requires_python:
        attributes["data-requires-python"] = wheel.requires_python
    # PEP 714: the first name is the right one; older installers only know the second.
    digest = f"sha256={wheel.metadata_sha256}"
    attributes |= {"data-core-metadata": digest, "data-dist-info-metadata": digest}
    text = " ".join(f'{key}="{html.escape(value)}"' for key, value in attributes.items())
    return f"<a {text}>{html.escape(wheel.file)}</a><br>"


def _file(wheel: Listed) -> dict[str, object]:
    """The same as a link, in JSON."""
    digest = {"sha256": wheel.metadata_sha256}
    python = {"requires-python": wheel.requires_python} if wheel.requires_python else {}
    return {
        "filename": wheel.file,
        "url": f"../../{wheel.file}",
        "hashes": {"sha256": wheel.sha256},
        "size": wheel.size,
        **python,
        "core-metadata": digest,
        "dist-info-metadata": digest,
    }


def _json(content: Mapping[str, object]) -> bytes:
    return (json.dumps({"meta": {"api-version": "1.1"}, **content}, indent=1) + "\n").encode()


def _page(title: str, lines: Sequence[str]) -> str:
    head = f'<meta name="pypi:repository-version" content="1.0"><title>{html.escape(title)}</title>'
    return "\n".join(["<!DOCTYPE html>", f'<html><head><meta charset="utf-8">{head}</head><body>', *lines,
                      "</body></html>", ""])  # fmt: skip
