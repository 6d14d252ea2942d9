"""Reads the Python sources and metadata of an sdist or a wheel, without extracting it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, cast

from syncbot.errors import EnvironmentFailure
from syncbot.limits import Limits

LARGEST = 8 << 20
LARGEST_DATA = 1 << 20

_CHUNK = 1 << 20
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error)
_HEADERS = frozenset(
    {
        *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
        *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    }
)
_LONGEST_HEADER = 1 << 20
_METADATA = frozenset({"PKG-INFO", "pyproject.toml", "setup.py", "setup.cfg"})


def members(archive: Path, filename: str, most: int = Limits().archive_bytes) -> Iterator[tuple[str, bytes]]:
    """Path, relative to the project, and content of the files to keep, in order. A wheel's ``METADATA``
    becomes ``PKG-INFO``. Only regular files with a clean path count. Raises EnvironmentFailure for a damaged
    archive."""
    is_wheel = filename.endswith(".whl")
    with _readable(filename):
        for name, size, _, _, stream in _entries(archive, filename, most):
            path = _wheel_path(name) if is_wheel else name.partition("/")[2]
            if stream is not None and _is_clean(name) and _is_kept(path, size):
                yield path, stream.read(size)  # an entry may hold more than it says


def every_member(
    archive: Path, filename: str, most: int = Limits().archive_bytes
) -> Iterator[tuple[str, bytes]]:
    """Path, relative to the project, and content of all regular files with a clean path. Raises
    EnvironmentFailure for a damaged archive."""
    with _readable(filename):
        for name, size, _, _, stream in _entries(archive, filename, most):
            path = name.partition("/")[2]
            if stream is not None and path and _is_clean(name):
                yield path, stream.read(size)


def executable_members(archive: Path, filename: str, most: int = Limits().archive_bytes) -> Iterator[str]:
    """The paths of ``every_member`` that their owner may execute. Raises EnvironmentFailure for a damaged
    archive."""
    with _readable(filename):
        for name, _, mode, _, stream in _entries(archive, filename, most):
            path = name.partition("/")[2]
            if stream is not None and path and _is_clean(name) and mode & stat.S_IXUSR:
                yield path


def newest_member(archive: Path, filename: str, most: int = Limits().archive_bytes) -> datetime:
    """The newest modification time in the archive: about when it was made."""
    with _readable(filename):
        return max(
            (time for _, _, _, time, _ in _entries(archive, filename, most)),
            default=datetime.fromtimestamp(0, UTC),
        )


def _entries(
    archive: Path, filename: str, most: int
) -> Iterator[tuple[str, int, int, datetime, IO[bytes] | None]]:
    """Name, size, mode, time and (of regular files) content of each entry."""
    if filename.endswith((".whl", ".zip")):
        with zipfile.ZipFile(archive) as pack:
            _allowed(sum(info.file_size for info in pack.infolist()), most)
            for info in pack.infolist():
                mode = info.external_attr >> 16
                regular = not info.is_dir() and (stat.S_IFMT(mode) in (0, stat.S_IFREG))
                when = _zip_time(info)
                if regular:
                    with pack.open(info) as stream:
                        yield info.filename, info.file_size, mode, when, stream
                else:
                    yield info.filename, 0, mode, when, None
    else:
        with (
            _decompressed(archive, filename) as tar,
            tarfile.open(fileobj=cast("IO[bytes]", _Counted(tar, most)), mode="r|", tarinfo=_Member) as tape,
        ):
            for member in tape:
                name = member.name.removeprefix("./")
                content = tape.extractfile(member) if member.isreg() else None
                yield name, member.size, member.mode, datetime.fromtimestamp(member.mtime, UTC), content
            # tarfile takes a truncated archive for a whole one; the stream's own checksum tells.
            while tar.read(_CHUNK):
                _allowed(tar.tell(), most)


class _Counted:
    """A stream of which so much may be read at most."""

    def __init__(self, stream: io.BufferedIOBase, most: int) -> None:
        self._stream, self._read, self._most = stream, 0, most

    def read(self, size: int) -> bytes:
        """Raises ValueError where too much was read."""
        found = self._stream.read(size)
        self._read += len(found)
        _allowed(self._read, self._most)
        return found


class _Member(tarfile.TarInfo):
    """A member whose headers are no longer than any path is: tarfile reads them as a whole."""

    def _proc_member(self, tape: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _HEADERS and self.size > _LONGEST_HEADER:
            raise ValueError(f"a header of {self.size:,} bytes")
        return super()._proc_member(tape)  # type: ignore[misc, no-any-return]


def _allowed(size: int, most: int) -> None:
    if size > most:
        raise ValueError(f"unpacked it has more than limits.archive_bytes allows, {most:,} bytes")


def _decompressed(archive: Path, filename: str) -> io.BufferedIOBase:
    if filename.endswith((".gz", ".tgz")):
        return gzip.GzipFile(archive)
    if filename.endswith(".bz2"):
        return bz2.BZ2File(archive)
    if filename.endswith(".xz"):
        return lzma.LZMAFile(archive)
    return archive.open("rb")


def _zip_time(info: zipfile.ZipInfo) -> datetime:
    try:
        return datetime(*info.date_time, tzinfo=UTC)
    except ValueError:  # a zip may say month 0
        return datetime.fromtimestamp(0, UTC)


def _wheel_path(name: str) -> str:
    folder, _, rest = name.partition("/")
    if folder.endswith(".data"):
        # Whoever installs the wheel puts these beside the other packages (PEP 427).
        scheme, _, inside = rest.partition("/")
        return inside if scheme in ("purelib", "platlib") else name
    return "PKG-INFO" if folder.endswith(".dist-info") and rest == "METADATA" else name


def _is_clean(path: str) -> bool:
    parts = path.split("/")
    return "\0" not in path and not any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)


def _is_kept(path: str, size: int) -> bool:
    folder, _, name = path.rpartition("/")
    if name.endswith((".py", ".pyi")):
        return size <= LARGEST
    if size > LARGEST_DATA:
        return False
    if name.endswith(".txt"):
        return name.startswith("requirements") or folder.rpartition("/")[2] == "requirements"
    if name.endswith((".yaml", ".yml")):
        return bool(folder) and not path.startswith(".")
    return name in _METADATA and not folder


@contextmanager
def _readable(filename: str) -> Iterator[None]:
    try:
        yield
    except (*_DAMAGE, EOFError, ValueError, OSError, RuntimeError) as error:
        raise EnvironmentFailure(
            f"{filename} cannot be read ({error}): it is damaged or of an unknown kind"
        ) from error
