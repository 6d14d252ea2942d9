"""Writing that is either done or not: single files, whole folders, and several files as one change."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.project_folders import refuse_link_out

_MANIFEST = "manifest.json"
_HERE, _RENAME_EXCHANGE = -100, 2  # of Linux: AT_FDCWD, and a flag of renameat2


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of ``path`` when the block ends, after an error never. Raises OSError, and
    UsageError for a link out of the project, as all that writes here does."""
    with _replacing(path, lambda file: os.fsync(file.fileno())) as file:
        yield file


@contextmanager
def _replacing(path: Path, settle: Callable[[IO[bytes]], object]) -> Iterator[IO[bytes]]:
    """The same; ``settle`` is called before the new file is named as the old one."""
    if _is_stream(path):
        with path.open("wb") as stream:
            yield stream
        return
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    refuse_link_out(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = _beside(path)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            settle(file)
            if path.exists():
                os.chmod(name, path.stat().st_mode & 0o777)
            # Still locked: else another process would take it for a leftover.
            os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _is_stream(path: Path) -> bool:
    """Whether a path is a device, a pipe, or a name of one, such as /dev/stdout: no file may replace it."""
    parent = os.path.realpath(path.parent)
    special = path.exists() and not path.is_file() and not path.is_dir()
    return special or parent == "/dev" or parent.startswith("/proc/")


def _beside(path: Path) -> tuple[int, str]:
    """A new file beside ``path``, open and locked; one that a killed process left there makes room for it."""
    name = str(path.with_name(f".{path.name}.new"))
    for flags in (os.O_CREAT | os.O_EXCL, 0, os.O_CREAT | os.O_EXCL):
        with suppress(OSError):
            handle = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | flags, 0o666)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Between the two calls it may have been taken for a leftover, and be gone.
                if os.path.samestat(os.fstat(handle), os.lstat(name)):
                    if flags:
                        return handle, name
                    os.unlink(name)
            except OSError:
                os.close(handle)
                raise
            os.close(handle)
    # Somebody writes the same file now, or the file system knows no locks.
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.chmod(name, 0o644)
    return handle, name


def write_file(path: Path, content: bytes) -> None:
    """Replace one file; a reader sees the old content or the new. Raises EnvironmentFailure."""
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise _failure(path, error) from error


def write_checked(path: Path, content: bytes) -> None:
    """As :func:`write_file`, for what is checked when it is read and can be made again: nobody waits for the
    disk, and a crash of the machine may damage it. Raises EnvironmentFailure."""
    try:
        with _replacing(path, lambda _: None) as file:
            file.write(content)
    except OSError as error:
        raise _failure(path, error) from error


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace a folder by one with exactly these files, complete before the old one moves. Raises
    EnvironmentFailure."""
    refuse_link_out(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".new", dir=folder.parent))
    except OSError as error:
        raise _failure(folder, error) from error
    try:
        staged.chmod(0o755)
        for path, content in files.items():
            target = staged / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        _put(staged, folder)
    except OSError as error:
        raise _failure(folder, error) from error
    finally:
        remove(staged)


def _put(staged: Path, folder: Path) -> None:
    """Let a folder take the place of another one, which is gone afterwards or stands where ``staged`` did."""
    if not folder.exists():
        staged.rename(folder)
    elif not exchange(staged, folder):
        old = staged.with_suffix(".old")
        try:
            folder.rename(old)
            staged.rename(folder)
        except OSError:
            if old.exists() and not folder.exists():
                old.rename(folder)
            raise
        finally:
            remove(old)


def exchange(one: Path, other: Path) -> bool:
    """Let two paths change their places in one call; False where the system cannot. Raises OSError."""
    import ctypes  # where it is needed: it takes long

    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    if not call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), ctypes.c_uint(_RENAME_EXCHANGE)):
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), str(other))


def remove(path: Path) -> None:
    """Remove a folder with all that it holds, a file, or a link and nothing behind it; never fails."""
    refuse_link_out(path.parent)
    if path.is_symlink() or path.is_file():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path, ignore_errors=True)


def clear_leftovers(folder: Path) -> None:
    """Finish or remove what a killed ``write_folder`` left beside its target."""
    refuse_link_out(folder)
    for old in folder.parent.glob(f".{folder.name}.*.old"):
        if folder.exists() or old.is_symlink():
            remove(old)
        else:
            old.rename(folder)
    for staged in folder.parent.glob(f".{folder.name}.*.new"):
        remove(staged)
    for unfinished in folder.parent.glob(f"..{folder.name}.json.*"):
        unfinished.unlink(missing_ok=True)


class Transaction:
    """Several files below ``root`` that change together. Their contents go below ``journal`` (same file
    system), a manifest commits them, then they are put in place. Killed before the manifest, nothing has
    changed; after it, ``recover``, called before reading, finishes."""

    def __init__(self, root: Path, journal: Path) -> None:
        self._root = root
        self._journal = journal

    def recover(self) -> None:
        """Finish a transaction that was committed, forget one that was not. Raises EnvironmentFailure."""
        refuse_link_out(self._journal)
        try:
            self._put_in_place(self._committed())
        except OSError as error:
            raise _failure(self._journal, error) from error
        remove(self._journal)

    def commit(self, changes: Mapping[str, bytes | None]) -> None:
        """Write all the files (None: remove); paths are relative to the root. Raises EnvironmentFailure."""
        if not changes:
            return
        self.recover()
        try:
            self._write(changes)
        except OSError as error:
            raise _failure(self._journal, error) from error
        finally:
            # What did not come to a manifest is of no use, and takes room that may be lacking.
            if not (self._journal / _MANIFEST).exists():
                remove(self._journal)
        self.recover()

    def _write(self, changes: Mapping[str, bytes | None]) -> None:
        """All new contents, then the manifest."""
        for path in changes:
            self._target(path)
        names: dict[str, str | None] = {}
        self._journal.mkdir(parents=True)
        for number, (path, content) in enumerate(sorted(changes.items())):
            names[path] = None
            if content is not None:
                names[path] = f"{number}.new"
                write_file(self._journal / f"{number}.new", content)
        manifest = {"journal": self._mark(), "files": names}
        write_file(self._journal / _MANIFEST, json.dumps(manifest, sort_keys=True).encode())

    def _mark(self) -> list[int]:
        """Return the mark that tells this journal from one that somebody put into the repository."""
        seen = self._journal.stat()
        return [seen.st_dev, seen.st_ino]

    def _committed(self) -> dict[str, str | None]:
        """The files of a transaction that was committed here: path → name of the new content."""
        try:
            manifest = json.loads((self._journal / _MANIFEST).read_text(encoding="utf-8"))
            if manifest["journal"] == self._mark():
                return dict(manifest["files"])
        except (FileNotFoundError, NotADirectoryError, ValueError, LookupError, TypeError, RecursionError):
            pass
        return {}

    def _target(self, path: str) -> Path:
        """Where a file of the transaction is. Raises UsageError for what is not below the root."""
        target = self._root / path
        if ".." in Path(path).parts or not target.is_relative_to(self._root):
            raise UsageError(f"{path} is outside {self._root}: nothing is written there")
        refuse_link_out(target)
        return target

    def _put_in_place(self, names: Mapping[str, str | None]) -> None:
        for path, name in names.items():
            target = self._target(path)
            if name is None:
                target.unlink(missing_ok=True)
            elif (self._journal / name).exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                if target.exists():
                    os.chmod(self._journal / name, target.stat().st_mode & 0o7777)
                os.replace(self._journal / name, target)


def _failure(path: Path, error: OSError) -> EnvironmentFailure:
    return EnvironmentFailure(f"cannot write {path}: {error.strerror or error}; nothing of it was changed")
