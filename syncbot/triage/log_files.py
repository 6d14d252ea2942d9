"""The bytes of logs: files, gzip files, members of zip archives, standard input; never all at once."""

from __future__ import annotations

import gzip
import re
import sys
import zipfile
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, iterdecode
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, cast

from syncbot.errors import EnvironmentFailure, UsageError

BLOCK = 1 << 20

_LOOKED_AT = 2000
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
# Archives that are not read, by how they begin.
_PACKED = {
    "xz": b"\xfd7zXZ\0", "bzip2": b"BZh", "zstd": b"\x28\xb5\x2f\xfd", "7-Zip": b"7z\xbc\xaf\x27\x1c",
    "RAR": b"Rar!\x1a\x07",
}  # fmt: skip
# An archive of a workflow run holds each job as one file at the top and again by steps in a folder.
_WHOLE_JOB = re.compile(r"-?\d+_(?P<job>.+)\.txt")


def logs(names: Iterable[str]) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Each log, its name and blocks; ``-`` is standard input, an archive has several. Raises UsageError."""
    for name in names:
        if name == "-":
            yield "standard input", _blocks("standard input", sys.stdin.buffer)
            continue
        path = Path(name)
        if path.is_dir():
            raise UsageError(f"{name} is a folder: name the log files in it")
        try:
            with path.open("rb") as file:
                yield from _opened(name, file)
        except FileNotFoundError as error:
            raise UsageError(f"there is no log {name}: give a file, or - for standard input") from error
        except PermissionError as error:
            raise UsageError(f"{name} cannot be read: {error.strerror}") from error


def _opened(name: str, file: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    if not file.seekable():
        # A pipe: what it is can only be told by its name.
        if not name.endswith(".gz"):
            yield name, _blocks(name, file)
            return
        start = _GZIP
    else:
        start = file.read(4)
        file.seek(0)
    if start.startswith(_GZIP):
        with gzip.open(file) as plain:
            yield name, _blocks(name, cast(IO[bytes], plain))
    elif start == _ZIP:
        yield from _members(name, file)
    else:
        yield name, _blocks(name, file)


def _members(name: str, file: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise UsageError(f"{name} is a broken zip archive ({error}): fetch it again") from error
    with archive:
        members = [m for m in archive.infolist() if not m.is_dir()]
        whole = {found["job"] for m in members if (found := _WHOLE_JOB.fullmatch(m.filename))}
        for member in members:
            folder = member.filename.partition("/")[0]
            if "/" in member.filename and folder in whole:
                continue
            label = f"{name}:{member.filename}"
            try:
                opened = archive.open(member)
            except (RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:
                raise UsageError(f"{label} cannot be unpacked: {error}") from error
            with opened:
                yield label, _blocks(label, opened)


def _is_utf16(start: bytes) -> bool:
    """Whether a text begins as UTF-16 does, and every other byte is zero, as in a log most are."""
    return start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and start.count(0) * 4 > len(start)


def _as_utf8(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same text, which is UTF-16."""
    return (text.encode("utf-8", "replace") for text in iterdecode(blocks, "utf-16", "replace"))


def _blocks(name: str, file: IO[bytes]) -> Iterator[bytes]:
    try:
        first = file.read(BLOCK)
        for kind, start in _PACKED.items():
            if first.startswith(start) and b"\0" in first[:200]:
                raise UsageError(f"{name} is packed with {kind}, which is not read: unpack it first")
        rest = iter(lambda: file.read(BLOCK), b"")
        blocks = chain([first], rest) if first else rest
        # As Windows' shells write what is redirected.
        yield from _as_utf8(blocks) if _is_utf16(first[:_LOOKED_AT]) else blocks
    except (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile) as error:
        raise UsageError(f"{name} is cut off or damaged ({error}): fetch it again") from error
    except OSError as error:
        raise EnvironmentFailure(f"{name} cannot be read: {error.strerror or error}") from error
