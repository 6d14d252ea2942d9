"""Wheels of a lane's stack that are only read, not installed."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from packaging.utils import canonicalize_name

from syncbot.errors import EnvironmentFailure
from syncbot.verify.once_made_folders import made_once
from syncbot.verify.package_sources import pip


def wheel(distribution: str, version: str, cache: Path) -> Path:
    """A release's wheel for this machine, from the cache or by pip. Raises EnvironmentFailure."""
    name = f"{canonicalize_name(distribution)}-{version}-{sys.implementation.cache_tag}"
    store = cache / "artifacts" / name

    def make(folder: Path) -> Path:
        made = folder / "made"
        made.mkdir()
        downloaded = _download(distribution, version, made)
        _digest_file(downloaded).write_text(_sha256(downloaded) + "\n", encoding="ascii")
        return made

    return made_once(store, lambda: _intact(store), make)


def _download(distribution: str, version: str, folder: Path) -> Path:
    asked = ("download", "--quiet", "--no-input", "--no-deps", "--only-binary=:all:", "--dest", str(folder))
    done = pip(*asked, f"{distribution}=={version}")
    if done.returncode != 0:
        complaints = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        cause = (complaints or done.stderr.strip().splitlines() or ["no message"])[-1]
        raise EnvironmentFailure(
            f"cannot download the wheel of {distribution} {version}: {cause.removeprefix('ERROR: ')}"
        )
    return next(folder.glob("*.whl"))


def _intact(store: Path) -> Path | None:
    for present in store.glob("*.whl"):
        noted = _digest_file(present)
        if noted.exists() and noted.read_text(encoding="ascii").strip() == _sha256(present):
            return present
    return None


def _digest_file(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
