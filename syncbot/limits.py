"""How much of foreign input is looked at, and what stands for what is beyond."""

from __future__ import annotations

import errno
import stat
from pathlib import Path
from typing import NamedTuple

# No Python source begins so: it cannot be parsed, whoever reads it.
_MARK = b"\0syncbot: "


_DOCUMENT_BYTES = 16_000_000
#: So many releases of a declared window are judged where nobody says how many.
WINDOW_RELEASES = 20
#: Seconds of processor for the tests that a project is run with, where nobody says how many.
TEST_SECONDS = 600.0


class Limits(NamedTuple):
    """The most that is looked at; ``[tool.syncbot.limits]`` says what each is."""

    file_bytes: int = 4_000_000
    nodes: int = 1_000_000
    parameters: int = 1_000
    lanes: int = 200
    archive_bytes: int = 16_000_000_000

    @property
    def key(self) -> str:
        """A text that distinguishes data kept under other limits; empty for the defaults."""
        return "" if self == Limits() else "_" + "_".join(map(str, self))


def beyond(what: str, limit: str, most: int) -> bytes:
    """Return the placeholder for a text that is not read because there is too much of it."""
    return _MARK + f"{what}, more than limits.{limit} allows ({most:,})".encode()


def too_long(size: int, limits: Limits) -> bytes | None:
    """Return the placeholder for a text of that size; None for one that may be read."""
    return beyond(f"{size:,} bytes", "file_bytes", limits.file_bytes) if size > limits.file_bytes else None


def reason(text: bytes) -> str | None:
    """Why a text was not read, if this stands for one."""
    return text.removeprefix(_MARK).decode() if text.startswith(_MARK) else None


def document_text(path: Path) -> str:
    """The text of a configuration, a matrix or a patch. Raises OSError, also for what is no file or too long;
    UnicodeDecodeError."""
    about = path.stat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > _DOCUMENT_BYTES:
        raise OSError(errno.EFBIG, f"it is no file of at most {_DOCUMENT_BYTES:,} bytes")
    return path.read_text(encoding="utf-8")


def read(path: Path, limits: Limits) -> bytes:
    """The content of a file, or what stands for it. Raises OSError."""
    return too_long(path.stat().st_size, limits) or path.read_bytes()
