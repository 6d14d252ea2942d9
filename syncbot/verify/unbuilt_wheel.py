"""A wheel of what a source distribution holds as it is: packages, entry points, metadata. No build runs."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from packaging.utils import canonicalize_name

from syncbot.errors import EnvironmentFailure

_TAG = "py3-none-any"
#: Where further files of the source distribution stand in the wheel.
SOURCES = "_sources"
#: The least that a zip file's date can be.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def unbuilt_wheel(
    files: Mapping[str, bytes],
    distribution: str,
    version: str,
    written: Mapping[str, str],
    kept: Sequence[str],
    folder: Path,
) -> Path:
    """Make the wheel of a source distribution's ``files`` in ``folder`` and return its path. ``written`` are
    files that the build would write, by path; ``kept`` files and folders that the wheel has as well, below
    ``_sources``. The same files give the same bytes. Raises EnvironmentFailure."""
    info = next((name.partition("/")[0] for name in files if name.endswith(".egg-info/top_level.txt")), None)
    if info is None or "PKG-INFO" not in files:
        raise EnvironmentFailure(
            f"{distribution} {version}: the source distribution says nowhere what its packages are "
            "(no top_level.txt): build a wheel of it"
        )
    packages = files[f"{info}/top_level.txt"].decode().split()
    name = re.sub(r"[-_.]+", "_", canonicalize_name(distribution))
    record = f"{name}-{version}.dist-info"
    held = {path: content for path, content in files.items() if path.partition("/")[0] in packages}
    for place in kept:
        found = {f"{SOURCES}/{p}": c for p, c in files.items() if p == place or p.startswith(f"{place}/")}
        if not found:
            raise EnvironmentFailure(f"{distribution} {version}: the source distribution has no {place}")
        held |= found
    held |= {path: content.encode() for path, content in written.items()}
    held[f"{record}/METADATA"] = files["PKG-INFO"]
    held[f"{record}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {_TAG}\n".encode()
    if (points := f"{info}/entry_points.txt") in files:
        held[f"{record}/entry_points.txt"] = files[points]
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}-{version}-{_TAG}.whl"
    _write(target, held, f"{record}/RECORD")
    return target


def members(sdist: Path) -> dict[str, bytes]:
    """The files of a source distribution by their path below its one folder. Raises EnvironmentFailure."""
    found = {}
    try:
        with tarfile.open(sdist) as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                if member.isfile() and len(path.parts) > 1 and ".." not in path.parts:
                    content = archive.extractfile(member)
                    found["/".join(path.parts[1:])] = content.read() if content is not None else b""
    except (tarfile.TarError, OSError, EOFError) as error:
        raise EnvironmentFailure(f"cannot read {sdist}: {error}: remove the file and try again") from error
    return found


def read_whole(folder: Path) -> dict[str, bytes]:
    """The regular files below a folder by their path."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _write(target: Path, files: Mapping[str, bytes], record: str) -> None:
    rows: list[tuple[str, str, int | str]] = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for path, content in sorted(files.items()):
            made.writestr(zipfile.ZipInfo(path, _EPOCH), content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append((path, f"sha256={digest}", len(content)))
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
        made.writestr(zipfile.ZipInfo(record, _EPOCH), text.getvalue())
