"""What the encoder cache of an engine holds, told by the engine's process to the others of its machine.

vLLM's channel from the engine to the API server has no place for it, so it is a file of a few numbers beside
vLLM's sockets, written by the engine after every change and read by whoever serves metrics.
"""

import mmap
import os
import struct
from dataclasses import astuple, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    """Outputs that are kept and what was asked for; the last three only grow, whatever is reset."""

    entries: int = 0
    tokens: int = 0
    bytes: int = 0
    budget_tokens: int = 0
    #: 0 without a bound.
    budget_bytes: int = 0
    queries: int = 0
    hits: int = 0
    evictions: int = 0


_LAYOUT = struct.Struct(f"={len(fields(Counts))}q")


def path(folder: str, instance: str, engine: int) -> Path:
    """Return the file of an engine of a vLLM instance."""
    return Path(folder) / f"ascend-encoder-cache-{instance}-{engine}"


class Publisher:
    """Writes the numbers of one engine; the file goes with the object."""

    def __init__(self, file: Path) -> None:
        self._file = file
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            os.ftruncate(descriptor, _LAYOUT.size)
            self._memory = mmap.mmap(descriptor, _LAYOUT.size)
        finally:
            os.close(descriptor)

    def publish(self, counts: Counts) -> None:
        """Write the numbers."""
        self._memory[:] = _LAYOUT.pack(*astuple(counts))

    def close(self) -> None:
        """Remove the file."""
        self._memory.close()
        self._file.unlink(missing_ok=True)


def read(file: Path) -> Counts:
    """Return the numbers of an engine; all are 0 while there is none, or it runs on another machine."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return Counts()
    return Counts(*_LAYOUT.unpack(content)) if len(content) == _LAYOUT.size else Counts()
