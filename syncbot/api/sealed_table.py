"""One table of a SQLite file: values by name, each with its checksum. A damaged file is made anew."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from syncbot.errors import EnvironmentFailure
from syncbot.sealed_values import opened, sealed, tell_of_damage

R = TypeVar("R")
# What SQLite says where not the file is at fault: https://www.sqlite.org/rescode.html
_NO_DAMAGE = {
    sqlite3.SQLITE_AUTH, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL,
}  # fmt: skip


class SealedTable:
    """Several processes may use the file at once. ``cache`` is the folder whose key the checksums have.
    Everything here raises EnvironmentFailure where the file cannot be used."""

    def __init__(self, cache: Path, path: Path, table: str) -> None:
        self._cache, self._path, self._table = cache, path, table
        self._database: sqlite3.Connection | None = None
        self._inode = 0
        self._usable(lambda database: None)

    def value(self, name: str) -> bytes | None:
        """The value of a name, None where there is none that can be believed."""
        query = f"SELECT value FROM {self._table} WHERE blob = ?"
        row = self._usable(lambda database: database.execute(query, (name,)).fetchone())
        value = opened(self._cache, self._sealed_name(name), row[0]) if row is not None else None
        if row is not None and value is None:
            self._throw_away()  # where one value is damaged, so may be the order that finds others
        return value

    def missing(self, names: Iterable[str]) -> list[str]:
        """Those of some names that have no value."""
        query = f"SELECT 1 FROM {self._table} WHERE blob = ?"
        asked = list(names)
        return self._usable(
            lambda database: [n for n in asked if database.execute(query, (n,)).fetchone() is None]
        )

    def put(self, values: Iterable[tuple[str, bytes]]) -> None:
        """Keep values. What is there already is the same from another process."""
        rows = [(name, sealed(self._cache, self._sealed_name(name), value)) for name, value in values]

        def write(database: sqlite3.Connection) -> None:
            with database:
                database.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)", rows)

        self._usable(write)
        if self.missing(name for name, _ in rows):
            self._throw_away()
            self._usable(write)

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None

    def _sealed_name(self, name: str) -> str:
        return f"{self._path.name}/{self._table}/{name}"

    def _usable(self, action: Callable[[sqlite3.Connection], R]) -> R:
        """Return the result of an action; if the file is damaged, run the action again on a new file."""
        try:
            try:
                return action(self._database or self._open())
            except (sqlite3.Error, UnicodeDecodeError) as error:  # the one inside of a message of the other
                if not self._is_damaged(error):
                    raise
                self._throw_away()
                return action(self._open())
        except (OSError, sqlite3.Error) as error:
            raise EnvironmentFailure(
                f"cannot use the cache {self._path}: {error}; remove that file "
                "or set SYNCBOT_CACHE to another folder"
            ) from error

    def _is_damaged(self, error: sqlite3.Error | UnicodeDecodeError) -> bool:
        if isinstance(error, UnicodeDecodeError):
            return True
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_BUSY) & 0xFF
        if code == sqlite3.SQLITE_READONLY:  # what a file also says that was removed, or has a torn header
            return os.access(self._path.parent, os.W_OK) and os.access(self._path, os.W_OK)
        return code not in _NO_DAMAGE

    def _throw_away(self) -> None:
        tell_of_damage(self._cache)
        self.close()
        with FileLock(self._path.with_suffix(".lock"), timeout=60):
            # Another process may have done so meanwhile.
            if self._path.exists() and self._path.stat().st_ino == self._inode:
                for suffix in ("", "-wal", "-shm"):
                    Path(f"{self._path}{suffix}").unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # SQLite does not wait when two connections change the journal mode at once: it fails at once
        # (https://www.sqlite.org/c3ref/busy_handler.html), so that the file is set up by one at a time.
        with FileLock(self._path.with_suffix(".lock"), timeout=60):
            self._database = database = sqlite3.connect(self._path, timeout=60)
            self._inode = self._path.stat().st_ino
            database.text_factory = bytes
            # Nobody waits for the disk: what a machine that stops leaves torn is damaged, and made anew.
            database.execute("PRAGMA synchronous=OFF")
            database.execute("PRAGMA journal_mode=WAL")
            with database:
                database.execute(
                    f"CREATE TABLE IF NOT EXISTS {self._table} (blob TEXT PRIMARY KEY, value BLOB)"
                )
        return database
