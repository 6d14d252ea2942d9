"""The source distribution of a lane: the published one with the lane's files, version and a notice."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from packaging.utils import canonicalize_name

from syncbot.atomic import write_file
from syncbot.errors import EnvironmentFailure
from syncbot.lanes.wheel import EPOCH

NOTICE = "NOTICE"


def patched(
    published: Path, files: Mapping[str, bytes], distribution: str, version: str, folder: Path
) -> Path:
    """Write the source distribution with ``files`` in the place of its own, below the name of another
    version, and return its path. Modes and links stay; the same input gives the same bytes. Raises
    EnvironmentFailure for an archive that cannot be read."""
    name = f"{re.sub(r'[-_.]+', '_', canonicalize_name(distribution))}-{version}"
    written = io.BytesIO()
    left = dict(files)
    try:
        with (
            tarfile.open(published) as given,
            tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as made,
        ):
            entries = [(PurePosixPath(*PurePosixPath(m.name).parts[1:]), m) for m in given.getmembers()]
            for path, member in sorted(entries, key=lambda entry: str(entry[0])):
                if ".." in path.parts or not (member.isfile() or member.issym() or member.isdir()):
                    continue
                content = given.extractfile(member) if member.isfile() else None
                held = left.pop(str(path), content.read() if content is not None else b"")
                _add(made, f"{name}/{path}".removesuffix("/."), held, member)
            for added, held in sorted(left.items()):
                _add(made, f"{name}/{added}", held, tarfile.TarInfo())
    except (tarfile.TarError, OSError, EOFError) as error:
        raise EnvironmentFailure(
            f"cannot read {published}: {error}: remove the file and try again"
        ) from error
    target = folder / f"{name}.tar.gz"
    write_file(target, gzip.compress(written.getvalue(), mtime=EPOCH))
    return target


def _add(archive: tarfile.TarFile, name: str, content: bytes, like: tarfile.TarInfo) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.mode, entry.mtime = like.type, like.linkname, like.mode, EPOCH
    entry.size = len(content) if like.isfile() else 0
    archive.addfile(entry, io.BytesIO(content) if like.isfile() else None)


def with_version(files: Mapping[str, bytes], old: str, new: str) -> dict[str, bytes]:
    """Return those of a source distribution's files that say its version, with another one: its metadata,
    where setuptools-scm reads it without a git history, and the module that this wrote last."""
    found = {}
    for path, content in files.items():
        name = path.rpartition("/")[2]
        if path == "PKG-INFO" or path.endswith(".egg-info/PKG-INFO"):
            found[path] = re.sub(rb"(?m)^(Version: ).*$", rb"\g<1>" + new.encode(), content, count=1)
        elif name == "_version.py":
            found[path] = re.sub(rb"(['\"])" + re.escape(old.encode()) + rb"\1", repr(new).encode(), content)
    return found
