"""Interface tables kept for ever by the id of the blob they were extracted from."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

import msgspec

import syncbot
from syncbot.api.recently_used import RecentlyUsed
from syncbot.api.sealed_table import SealedTable

T = TypeVar("T")
#: So many values stay in memory: more than one tree and what a month changes.
IN_MEMORY = 3000
# So many values are written together: soon enough for another process that needs the same ones.
_TOGETHER = 50


def source_digest(*modules: ModuleType) -> str:
    """A digest over the sources of modules, and of what they take from others of their own package."""
    digest = hashlib.sha256(",".join(module.__name__ for module in modules).encode())
    for file in _files(modules):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _files(modules: tuple[ModuleType, ...]) -> tuple[Path, ...]:
    """The files of modules and of what they take, which is settled when they are imported."""
    known = dict.fromkeys(modules)
    waiting = list(known)
    while waiting:
        module = waiting.pop()
        for value in vars(module).values():
            other = value if isinstance(value, ModuleType) else sys.modules.get(_home(value))
            if other is not None and other not in known and other.__package__ == module.__package__:
                known[other] = None
                waiting.append(other)
    return tuple(
        Path(file) for _, file in sorted((module.__name__, module.__file__ or "") for module in known)
    )


def package_digest(*patterns: str) -> str:
    """A digest over those of syncbot's own files that match. Raises ValueError for a pattern without any."""
    digest = hashlib.sha256()
    for pattern in patterns:
        files = sorted(Path(syncbot.__file__).parent.glob(pattern))
        if not files:
            raise ValueError(f"no file of syncbot matches {pattern}")
        for file in files:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _home(value: object) -> str:
    name = getattr(value, "__module__", None)
    return name if isinstance(name, str) else ""


class TableCache(Generic[T]):
    """A function of a blob's bytes, remembered in memory (``most`` values) and in SQLite, which several
    processes may use. ``kind`` and ``version`` name the function and its code: a changed extractor reads
    nothing old."""

    def __init__(
        self,
        folder: Path | None,
        kind: str,
        version: str,
        compute: Callable[[bytes], T],
        type_: type[T],
        most: int = IN_MEMORY,
    ) -> None:
        self._compute = compute
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(type_).decode
        self._memory = RecentlyUsed[str, T](most)
        self._fresh: dict[str, bytes] = {}
        self._kept: SealedTable | None = None
        if folder is not None:
            self._kept = SealedTable(folder.parent, folder / f"{kind}.sqlite", f"{kind}_{version}")

    def get(self, blob: str, read: Callable[[str], bytes]) -> T:
        """The value for a blob, computed from ``read(blob)`` if unknown. Raises EnvironmentFailure."""
        if (known := self._memory.get(blob)) is not None:
            return known
        value = self._stored(blob)
        if value is None:
            value = self._compute(read(blob))
            if self._kept is not None:
                self._fresh[blob] = self._encode(value)
                if len(self._fresh) >= _TOGETHER:
                    self.flush()
        return self._memory.put(blob, value)

    def missing(self, blobs: Iterable[str]) -> list[str]:
        """Those of some blobs whose values are not on disk yet."""
        return list(blobs) if self._kept is None else self._kept.missing(blobs)

    def flush(self, least: int = 1) -> None:
        """Write what was computed since the last flush, if it is so much at least."""
        if self._kept is not None and len(self._fresh) >= max(least, 1):
            fresh, self._fresh = self._fresh, {}
            self._kept.put(fresh.items())

    def close(self) -> None:
        """Flush and close the database."""
        self.flush()
        if self._kept is not None:
            self._kept.close()

    def _stored(self, blob: str) -> T | None:
        value = self._kept.value(blob) if self._kept is not None else None
        try:
            return self._decode(value) if value is not None else None
        except msgspec.MsgspecError:
            return None
