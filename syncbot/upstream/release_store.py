"""Where all imported releases of a distribution are kept: a bare repository, one commit and tag a release."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from packaging.version import Version

from syncbot.errors import EnvironmentFailure
from syncbot.upstream.archive import members, newest_member
from syncbot.upstream.bare_repository import prepare
from syncbot.upstream.git_command import GitCommand, reason
from syncbot.upstream.index_listing import IndexFile, uploaded_at
from syncbot.upstream.model import Meter
from syncbot.upstream.process_lock import held

if TYPE_CHECKING:
    from syncbot.upstream.package_index import PackageIndex

_DOWNLOADS = 4


def tags(store: GitCommand) -> dict[Version, str]:
    """Version → commit of the releases that are there."""
    if not (store.git_dir / "config").is_file():
        return {}
    output = store.run("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/tags").decode()
    pairs = (line.split() for line in output.splitlines())
    return {Version(tag): sha for tag, sha in pairs}


def bring_in(
    store: GitCommand,
    distribution: str,
    files: Mapping[Version, IndexFile],
    client: PackageIndex,
    cache: Path,
    meter: Meter,
    most: int,
) -> dict[Version, str]:
    """Import what is missing of some releases, one process at a time; version → commit of all that are there
    then. Raises EnvironmentFailure."""
    with held(store.git_dir.with_suffix(".lock"), meter) as lock:
        prepare(store)
        there = tags(store)
        new = {version: file for version, file in files.items() if version not in there}
        if new:
            _import(store, distribution, new, client, cache, lock, meter, most)
    return tags(store)


def _import(
    git: GitCommand,
    distribution: str,
    new: Mapping[Version, IndexFile],
    client: PackageIndex,
    cache: Path,
    lock: int,
    meter: Meter,
    most: int,
) -> None:
    times = {file.filename: file.uploaded for file in new.values() if file.uploaded}
    if len(times) < len(new):
        times = client.upload_times(distribution) | times
    with ThreadPoolExecutor(_DOWNLOADS) as pool:
        downloads = {
            version: pool.submit(client.download, file, cache, meter) for version, file in new.items()
        }
        # Its deltas are between files in a row, which are unrelated here: they cost time and save nothing.
        importer = git.start(
            *("-c", "pack.compression=1", "fast-import", "--quiet", "--done", "--depth=0"),
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(lock,),
        )
        assert importer.stdin is not None
        assert importer.stderr is not None
        try:
            for number, (version, file) in enumerate(new.items()):
                meter(f"importing {distribution}", number, len(new))
                archive = downloads[version].result()
                uploaded = uploaded_at(times.get(file.filename)) or newest_member(
                    archive, file.filename, most
                )
                _write_commit(importer.stdin, distribution, version, uploaded, file)
                for path, content in members(archive, file.filename, most):
                    _write_file(importer.stdin, path, content)
                importer.stdin.write(b"\n")
            importer.stdin.write(b"done\n")
            importer.stdin.close()
            if importer.wait():
                raise BrokenPipeError
            meter(f"importing {distribution}", len(new), len(new))
        except BrokenPipeError as error:
            cause = reason(importer.stderr.read())
            raise EnvironmentFailure(f"git fast-import failed in {git.git_dir}: {cause}") from error
        finally:
            # Without "done", whatever was written so far is dropped: no release is imported by half.
            for download in downloads.values():
                download.cancel()
            importer.kill()
            importer.wait()


def _write_commit(
    stream: IO[bytes], distribution: str, version: Version, uploaded: datetime, file: IndexFile
) -> None:
    message = f"{distribution} {version}\n\nFile: {file.filename}\nSHA-256: {file.sha256}\n".encode()
    stream.write(
        b"commit refs/tags/v%s\ncommitter %s <> %d +0000\n"
        % (str(version).encode(), distribution.encode(), int(uploaded.timestamp()))
    )
    stream.write(b"data %d\n%s\n" % (len(message), message))


def _write_file(stream: IO[bytes], path: str, content: bytes) -> None:
    quoted = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    stream.write(b'M 100644 inline "%s"\ndata %d\n' % (quoted, len(content)))
    stream.write(content)
    stream.write(b"\n")
