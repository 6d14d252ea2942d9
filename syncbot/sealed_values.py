"""Values of the cache, each with a checksum under a key of the cache's own. What is damaged is not believed,
nor is what somebody put there who cannot read the key: it belongs to the user who runs syncbot, who alone may
read it. Against who acts as that user there is no protection, and a copy of the whole folder, with its key,
is believed as the folder was."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from syncbot.atomic import write_checked

KEY = "checksums.key"
_KEY_BYTES, _CHECKSUM_BYTES = 32, 16
_log = logging.getLogger(__name__)


def keep(folder: Path, file: Path, value: bytes) -> None:
    """Write a value of the cache in ``folder`` with its checksum. Raises EnvironmentFailure."""
    write_checked(file, sealed(folder, file.relative_to(folder).as_posix(), value))


def recall(folder: Path, file: Path) -> bytes | None:
    """A value that :func:`keep` wrote there; None where there is none, and where it is not to be believed."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    value = opened(folder, file.relative_to(folder).as_posix(), content)
    if value is None:
        with suppress(OSError):
            file.unlink()
    return value


def sealed(folder: Path, name: str, value: bytes) -> bytes:
    """A value with the checksum that lets it be read under that name, in that cache."""
    return _checksum(folder, name, value) + value


def opened(folder: Path, name: str, content: object) -> bytes | None:
    """Return the value that :func:`sealed` was given; None, with a warning once, for anything else."""
    if isinstance(content, bytes) and len(content) >= _CHECKSUM_BYTES:
        checksum, value = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
        if hmac.compare_digest(checksum, _checksum(folder, name, value)):
            return value
    tell_of_damage(folder)
    return None


@cache
def tell_of_damage(folder: Path) -> None:
    """Say, once, that something in the cache of a folder is thrown away."""
    _log.warning("a value in the cache %s is damaged or was not made there: it is made again", folder)


def _checksum(folder: Path, name: str, value: bytes) -> bytes:
    digest = hashlib.blake2b(key=_key(folder), digest_size=_CHECKSUM_BYTES)
    digest.update(f"{name}\0".encode("utf-8", "surrogateescape"))
    digest.update(value)
    return digest.digest()


@cache
def _key(folder: Path) -> bytes:
    """The key of a cache, made if need be. Where it cannot be kept, no later run believes this one."""
    file = folder / KEY
    known = _usable_key(file)
    if known is None:
        with suppress(OSError):
            known = _made_key(file)
    return known or secrets.token_bytes(_KEY_BYTES)


def _made_key(file: Path) -> bytes | None:
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{KEY}.", dir=file.parent)  # its rights are 0600
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(secrets.token_bytes(_KEY_BYTES))
        if not os.path.lexists(file):
            with suppress(FileExistsError):
                os.link(name, file)  # of several processes, one makes the key of all
        if _usable_key(file) is None:
            tell_of_damage(file.parent)
            os.replace(name, file)
    finally:
        Path(name).unlink(missing_ok=True)
    return _usable_key(file)


def _usable_key(file: Path) -> bytes | None:
    """A key that this user made, and nobody else may read."""
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened_file:
            about = os.fstat(opened_file.fileno())
            own = about.st_uid == os.geteuid() and not about.st_mode & 0o077 and stat.S_ISREG(about.st_mode)
            known = opened_file.read(_KEY_BYTES + 1) if own else b""
    except OSError:
        return None
    return known if len(known) == _KEY_BYTES else None
