"""Releases of the package index as a git repository: one commit and one tag a release. A commit has no
parent: its sha depends on the release alone. Replacement objects (git-replace) make it a child of the nearest
older release."""

from __future__ import annotations

import logging
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from syncbot.errors import EnvironmentFailure
from syncbot.limits import Limits
from syncbot.upstream import index_listing as listings
from syncbot.upstream.archive import members, newest_member
from syncbot.upstream.bare_repository import prepare
from syncbot.upstream.git_command import Access, GitCommand, reason
from syncbot.upstream.index_listing import IndexAddress, IndexFile, IndexUnreachable
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.process_lock import held
from syncbot.upstream.release_choice import Follow, choose

if TYPE_CHECKING:
    from syncbot.upstream.package_index import PackageIndex

_BRANCH = "refs/heads/releases"
_DOWNLOADS = 4
_log = logging.getLogger(__name__)


def import_releases(
    distribution: str,
    cache: Path,
    wanted: Sequence[Version] | None = None,
    follow: Follow | None = None,
    index: str | None = None,
    refresh_hours: float = 1.0,
    meter: Meter = no_meter,
    most: int = Limits().archive_bytes,
) -> Path:
    """A bare repository below ``cache``: one commit and tag ``vX.Y.Z`` for each release of ``wanted`` and
    ``follow``; the newest two with neither. ``index`` is a URL (else ``PIP_INDEX_URL``, else the public one),
    asked when its listing is older than ``refresh_hours`` and something is missing or was not named. Raises
    UsageError for what does not exist, EnvironmentFailure for an index out of reach or a bad download."""
    named = list(wanted or ())
    if follow is None and not named:
        follow = Follow()
    url = index or os.environ.get("PIP_INDEX_URL")
    address = listings.address(url) if url else None
    name = f"{canonicalize_name(distribution)}-{address.name if address else 'public'}"
    git = GitCommand(cache / "releases" / f"{name}.git", Access.OWN)
    kept_at = git.git_dir.with_suffix(".json")
    there = _complete_tags(git)
    if follow is None and there.keys() >= set(named):
        return git.git_dir
    kept = listings.load(kept_at)
    # A kept listing that does not know all named versions may be older than they are.
    covers = kept is not None and kept.versions().keys() >= set(named)
    choice = choose(distribution, kept, named, follow) if kept and covers else {}
    if not (choice and kept and 0 <= time.time() - kept.fetched < refresh_hours * 3600):
        try:
            listing = _client(address).listing(distribution)
        except IndexUnreachable as error:
            if not there or not there.keys() >= {*choice, *named}:
                raise
            _log.warning("%s (going on with the releases that are here)", error)
            return git.git_dir
        listings.save(listing, kept_at)
        choice = choose(distribution, listing, named, follow)
    if not there.keys() >= choice.keys():
        _bring_in(git, distribution, choice, _client(address), cache, meter, most)
    return git.git_dir


def listed_versions(git_dir: Path) -> tuple[Version, ...]:
    """The versions that the index had when releases were last imported into a repository, oldest first."""
    kept = listings.load(git_dir.with_suffix(".json"))
    return tuple(kept.versions()) if kept is not None else ()


def _client(address: IndexAddress | None) -> PackageIndex:
    # Imported here: with requests and an HTML parser it takes longer than all else when nothing is new.
    from syncbot.upstream.package_index import PackageIndex

    return PackageIndex(address)


def _tags(git: GitCommand) -> dict[Version, str]:
    """Version → commit of the releases that are there."""
    output = git.run("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/tags").decode()
    pairs = (line.split() for line in output.splitlines())
    return {Version(tag): sha for tag, sha in pairs}


def _complete_tags(git: GitCommand) -> dict[Version, str]:
    """As `_tags`, but none if the repository is not there or was left with a part of its history."""
    if not (git.git_dir / "config").is_file():
        return {}
    tags = _tags(git)
    replaced = git.run("for-each-ref", "--format=%(refname)", "refs/replace").splitlines()
    return tags if len(replaced) == max(0, len(tags) - 1) else {}


def _bring_in(
    git: GitCommand,
    distribution: str,
    choice: Mapping[Version, IndexFile],
    client: PackageIndex,
    cache: Path,
    meter: Meter,
    most: int,
) -> None:
    """Import what is missing of ``choice``, one process at a time."""
    with held(git.git_dir.with_suffix(".lock"), meter) as lock:
        prepare(git)
        there = _tags(git)
        new = {version: file for version, file in choice.items() if version not in there}
        if new:
            _import(git, distribution, new, client, cache, lock, meter, most)
        _chain(git)


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
                uploaded = _moment(times.get(file.filename)) or newest_member(archive, file.filename, most)
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


def _moment(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _chain(git: GitCommand) -> None:
    """Make each release a child of the nearest older one, and let the branch end at the newest."""
    # Imported here: it takes longer than all else when nothing is new.
    from syncbot.upstream.writable_repository import WritableRepository

    with closing(WritableRepository(git.git_dir)) as repository:
        # The commits themselves, not their replacements.
        repository.git.update_environment(GIT_NO_REPLACE_OBJECTS="1")
        releases = sorted(((Version(tag.name), tag.commit) for tag in repository.tags), key=itemgetter(0))
        updates = [
            f"update refs/replace/{child.hexsha} {child.replace(parents=[parent]).hexsha}\n"
            for (_, parent), (_, child) in pairwise(releases)
        ]
        if releases:
            (_, oldest), (_, newest) = releases[0], releases[-1]
            updates += [f"delete refs/replace/{oldest.hexsha}\n", f"update {_BRANCH} {newest.hexsha}\n"]
            # All references change together or none does, which GitPython's cannot.
            repository.run("update-ref", "--no-deref", "--stdin", input="".join(updates).encode())
            repository.run("symbolic-ref", "HEAD", _BRANCH)
