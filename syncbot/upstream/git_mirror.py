"""Git upstreams: a local repository is read in place, a remote one through a bare mirror in the cache."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.bare_repository import prepare
from syncbot.upstream.git_command import (
    NO_GIT,
    Access,
    GitCommand,
    git_environment,
    reason,
    refuse_unencrypted,
    without_credentials,
)
from syncbot.upstream.git_repository import is_git_dir, linked_git_dir
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.process_lock import held

# So many seconds may a server take to say that it is there.
_PATIENCE = 10
_SCHEMES = frozenset({"file", "git", "http", "https", "ssh"})
_SCP = re.compile(r"(?:[\w.-]+@)?[\w.-]+:(?!//)\S+")


def mirror(source: str, cache: Path, meter: Meter = no_meter) -> Path:
    """The git directory of ``source``: a path is read in place, a URL fetched into a bare mirror in
    ``cache``, without blobs and by one process at a time. Raises UsageError for what is neither URL nor
    repository, EnvironmentFailure when the remote cannot be fetched. No message shows the URL's
    credentials."""
    if not is_url(source):
        return local_git_dir(Path(source))
    refuse_unencrypted(source)
    git_dir = mirror_path(source, cache)
    with held(git_dir.with_suffix(".lock"), meter) as lock:
        git = GitCommand(git_dir, Access.OWN)
        _configure(git, source)
        _fetch(git, source, lock, meter)
    return git_dir


def unreachable(url: str) -> str | None:
    """Why the repository of a URL gives no answer within a few seconds; None where it does. Raises UsageError
    for an address that is refused."""
    refuse_unencrypted(url)
    settings = ("-c", "http.lowSpeedLimit=1000", "-c", f"http.lowSpeedTime={_PATIENCE}")
    command = ["git", *settings, "ls-remote", "--quiet", url, "HEAD"]
    try:
        asked = subprocess.run(
            command,
            capture_output=True,
            env=git_environment(Access.OWN),
            cwd="/",
            timeout=_PATIENCE,
            check=False,
        )
    except FileNotFoundError as error:
        raise EnvironmentFailure(NO_GIT) from error
    except subprocess.TimeoutExpired:
        return f"no answer within {_PATIENCE} s"
    # Whoever asks names the address already.
    return re.sub(r"^unable to access '[^']*': ", "", reason(asked.stderr)) if asked.returncode else None


def is_url(source: str) -> bool:
    """Whether git would take ``source`` for an address. Raises UsageError for ``ext::`` and the like."""
    scheme, separator, _ = source.partition("://")
    if separator:
        if scheme not in _SCHEMES:
            raise UsageError(f"git over {scheme!r} is not supported: give an https, ssh, git or file URL")
        try:
            urlsplit(source)
        except ValueError as error:
            raise UsageError(f"{without_credentials(source)!r} is no URL: {error}") from error
        return True
    if re.match(r"[A-Za-z0-9+._-]+::", source):
        raise UsageError("git remote helpers are not supported: give an https, ssh, git or file URL")
    return _SCP.fullmatch(source) is not None and not Path(source).exists()


def mirror_path(url: str, cache: Path) -> Path:
    """Where the mirror of a URL is kept; the same for any credentials."""
    parts = urlsplit(url)
    plain = (
        urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/").removesuffix(".git")
    )
    name = re.sub(r"[^\w.-]+", "-", "/".join(urlsplit(plain).path.split("/")[-2:])).strip("-.") or "mirror"
    digest = hashlib.sha256(os.fsencode(plain)).hexdigest()[:12]
    return cache / "mirrors" / f"{name[:100]}-{digest}.git"


def local_git_dir(path: Path) -> Path:
    """The git directory of a repository, bare, linked worktree or submodule. Raises UsageError for none."""
    if not path.exists():
        raise UsageError(f"{path} does not exist: give a URL or the folder of a git repository")
    inner = path / ".git"
    if inner.is_file():
        inner = linked_git_dir(inner)
    for candidate in (inner, path):
        if is_git_dir(candidate):
            return candidate.absolute()
    raise UsageError(
        f"{path} is not a git repository: give the folder that holds .git, or run git init in it"
    )


def _configure(git: GitCommand, url: str) -> None:
    """Make the mirror, or make one usable whose maker was killed; the caller holds the lock."""
    prepare(git)
    if git.attempt("config", "--get", "remote.origin.url").stdout.decode().rstrip("\n") == url:
        return
    git.run("config", "remote.origin.promisor", "true")
    git.run("config", "remote.origin.partialCloneFilter", "blob:none")
    git.run("config", "--replace-all", "remote.origin.fetch", "+refs/heads/*:refs/heads/*")
    git.run("config", "--add", "remote.origin.fetch", "+refs/tags/*:refs/tags/*")
    # The address comes last: it marks a mirror that is complete. It may hold a password.
    git.run("config", "remote.origin.url", url)
    (git.git_dir / "config").chmod(0o600)


def _fetch(git: GitCommand, url: str, lock: int, meter: Meter) -> None:
    meter(f"fetching {without_credentials(url)}", 0, None)
    settings = ("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60")
    options = ("--prune", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--filter=blob:none")
    fetched = git.attempt(*settings, "fetch", *options, "origin", pass_fds=(lock,))
    if fetched.returncode:
        raise EnvironmentFailure(
            f"{without_credentials(url)} cannot be fetched: {reason(fetched.stderr)};"
            " check the address, your access and the network"
        )
    if git.attempt("rev-parse", "--verify", "--quiet", "HEAD^{commit}").returncode:
        head = git.attempt("ls-remote", "--symref", "origin", "HEAD", pass_fds=(lock,))
        if found := re.match(rb"ref: (refs/heads/\S+)\tHEAD", head.stdout):
            git.run("symbolic-ref", "HEAD", found[1].decode())
    thrift = ("-c", "gc.auto=6700", "-c", "gc.autoPackLimit=50", "-c", "gc.autoDetach=false")
    git.attempt(*thrift, "gc", "--auto", "--quiet", pass_fds=(lock,))
