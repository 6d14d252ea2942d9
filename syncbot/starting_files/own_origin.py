"""Where the syncbot that runs came from, as one line that pip can install it from again.

Source: the recorded origin of an installed distribution (PEP 610), as pip and uv write it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from packaging.version import InvalidVersion, Version

from syncbot.errors import SyncbotError
from syncbot.upstream.git_command import GitCommand, without_credentials
from syncbot.upstream.git_repository import linked_git_dir

#: The labels under which metadata names a repository of sources, as the package index normalises them.
_REPOSITORY = {"source", "repository", "sourcecode", "github"}
_REMOTE = "origin"


@dataclass(frozen=True, slots=True)
class Origin:
    """``source`` is what pip installs to get this very syncbot on any machine; where nothing shows it, it is
    None and ``why`` says what is missing. A bare name is never one: anybody may register that."""

    source: str | None
    why: str = ""


def own_origin() -> Origin:
    """Return where the syncbot that runs came from."""
    try:
        own = distribution("syncbot")
        direct = json.loads(own.read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return Origin(None, "it is not installed")
    if direct.get("url"):
        return origin_of(direct)
    return released(own.version, own.metadata.get_all("Project-URL") or ())


def origin_of(direct: Mapping[str, object]) -> Origin:
    """Return the origin that a record of an installation tells."""
    url = without_credentials(str(direct["url"]))
    vcs, archive = direct.get("vcs_info"), direct.get("archive_info")
    if urlsplit(url).scheme == "file":
        commit = vcs.get("commit_id") if isinstance(vcs, Mapping) else None
        checkout = Path(unquote(urlsplit(url).path))
        return of_checkout(checkout, commit) if archive is None else Origin(None, f"it was built as {url}")
    if urlsplit(url).scheme != "https":
        return Origin(None, f"it was installed from {url}, which is no https address")
    if isinstance(vcs, Mapping):
        below = direct.get("subdirectory")
        return Origin(f"{vcs['vcs']}+{url}@{vcs['commit_id']}" + (f"#subdirectory={below}" if below else ""))
    hashes = archive.get("hashes") if isinstance(archive, Mapping) else None
    digest = hashes.get("sha256") if isinstance(hashes, Mapping) else None
    return Origin(f"{url.partition('#')[0]}#sha256={digest}" if digest else url)


def of_checkout(folder: Path, commit: str | None) -> Origin:
    """Return the origin of what was installed from a repository on this machine: its remote, at a ``commit``,
    else at the one that is checked out. Only what a branch of the remote has, unchanged, is one."""
    mark = folder / ".git"
    try:
        git_dir = linked_git_dir(mark) if mark.is_file() else mark if mark.is_dir() else folder
        git = GitCommand(git_dir)
        said = git.attempt("config", "--get", f"remote.{_REMOTE}.url").stdout
        sha = commit or git.run("rev-parse", "HEAD").decode().strip()
        known = git.run("for-each-ref", f"--contains={sha}", f"refs/remotes/{_REMOTE}")
        changed = b""
        if commit is None:
            changed = git.run(
                f"--work-tree={folder}", "status", "--porcelain", "--untracked-files=no", "--", ":/syncbot"
            )
    except SyncbotError:
        return Origin(None, f"it runs from {folder}, which is no git repository")
    url = without_credentials(os.fsdecode(said).strip())
    if urlsplit(url).scheme != "https":
        return Origin(None, f"it runs from {folder}, whose remote {_REMOTE!r} has no https address")
    if changed:
        return Origin(None, f"it runs from {folder}, where syncbot was changed and not committed")
    if not known:
        return Origin(None, f"it runs from {folder}, whose commit {sha[:10]} is on no branch of the remote")
    return Origin(f"git+{url}@{sha}")


def released(version: str, addresses: Sequence[str]) -> Origin:
    """Return the origin of a release that an index had: its tag in the repository that its metadata's
    ``addresses`` name (``label, URL``)."""
    with suppress(InvalidVersion):
        known = Version(version)
        pairs = (address.partition(",") for address in addresses)
        named = [
            url.strip()
            for label, _, url in pairs
            if "".join(filter(str.isalnum, label.lower())) in _REPOSITORY
        ]
        https = [url for url in named if urlsplit(url).scheme == "https"]
        # What was built between two releases has no tag.
        if https and not known.is_devrelease and not known.local:
            return Origin(f"git+{https[0].rstrip('/')}@v{known}")
    return Origin(None, f"nothing that came with syncbot {version} says where its sources are")
