"""The files of a plugin: of a release in the package index, or of a commit of a repository.

A plugin named ``owner/name`` is a repository: its version is a commit, which is its own digest, or
``commit:folder`` where the plugin's project is a folder of it. What is below
``build/repositories/owner+name`` is used, or a clone of the one on GitHub.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
import threading
import zipfile
from pathlib import Path

from syncbot.errors import SyncbotError
from syncbot.upstream.index_listing import address
from syncbot.upstream.package_index import PackageIndex

_GITHUB = "https://github.com"
# A repository may hold more than anybody wants to lay out.
_READ = re.compile(r".*\.(py|pyi|toml|cfg)|(.*/)?[^/]*requirements[^/]*\.txt")


def folder_of(plugin: str, version: str, build: Path) -> Path:
    """Where the files of a plugin are laid out."""
    commit, _, inside = version.partition(":")
    return build / "plugins" / f"{plugin.replace('/', '+')}-{commit}" / inside


def laid_out(plugin: str, version: str, sha256: str, build: Path) -> Path:
    """The folder with the plugin's files.

    Raises:
        SyncbotError: the index or the repository has no such files.
    """
    wanted = folder_of(plugin, version, build)
    version = version.partition(":")[0]
    folder = folder_of(plugin, version, build)
    if folder.exists():
        return wanted
    unfinished = folder.with_name(f".{folder.name}.{os.getpid()}.{threading.get_ident()}")
    if "/" in plugin:
        _exported(plugin, version, unfinished, build)
    else:
        unfinished = _unpacked(plugin, sha256, unfinished, build)
    if not folder.exists():
        unfinished.rename(folder)
    return wanted


def _unpacked(plugin: str, sha256: str, folder: Path, build: Path) -> Path:
    url = os.environ.get("PIP_INDEX_URL")
    index = PackageIndex(address(url) if url else None)
    try:
        files = [f for f in index.listing(plugin).files if f.sha256 == sha256]
        if not files:
            raise SyncbotError(f"the package index has no file of {plugin} with the digest of the table")
        downloaded = index.download(files[0], build)
    finally:
        index.close()
    if zipfile.is_zipfile(downloaded):
        with zipfile.ZipFile(downloaded) as wheel:
            wheel.extractall(folder)
        return folder
    with tarfile.open(downloaded) as archive:
        archive.extractall(folder, filter="data")
    (only,) = folder.iterdir()
    return only


def _exported(plugin: str, commit: str, folder: Path, build: Path) -> None:
    repository = build / "repositories" / plugin.replace("/", "+")
    if not repository.exists():
        _git("clone", "--quiet", "--bare", f"{_GITHUB}/{plugin}", str(repository))
    known = _git("--git-dir", str(repository), "ls-tree", "-r", "-z", "--name-only", commit)
    files = [name for name in known.decode().split("\0") if _READ.fullmatch(name)]
    archive = _git("--git-dir", str(repository), "--literal-pathspecs", "archive", commit, *files)
    with tarfile.open(fileobj=io.BytesIO(archive)) as laid:
        laid.extractall(folder, filter="data")


def _git(*arguments: str) -> bytes:
    try:
        return subprocess.run(["git", *arguments], check=True, capture_output=True).stdout
    except subprocess.CalledProcessError as error:
        raise SyncbotError(error.stderr.decode(errors="replace").strip()) from error
