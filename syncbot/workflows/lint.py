"""Whether what changed in the working tree relies on anything that the upstream in use lacks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.session import backend_of, opened
from syncbot.project_metadata.followed import followed, pins
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.git_command import GitCommand, without_credentials
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import open_upstream
from syncbot.verify.new_violations import new_violations
from syncbot.verify.violations import Violation
from syncbot.workflows.first_steps import chosen_pin
from syncbot.workflows.project import configured, matrix_of
from syncbot.worktree import repository_around


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions:
    """``since`` is the commit of the backend's repository that the working tree is held against; ``at`` the
    upstream version, else the matrix's baseline, else the one that the project's files name."""

    backend: Path = Path()
    upstream: str | None = None
    at: str | None = None
    since: str = "HEAD"


@dataclass(frozen=True, slots=True)
class Linted:
    """How many files changed, and what ``upstream`` (a name and a version) lacks of what is new in them."""

    files: int
    upstream: str = ""
    violations: tuple[Violation, ...] = ()


def lint(options: LintOptions, meter: Meter = no_meter) -> Linted:
    """Return what is wrong with the changed files; nothing of upstream is read where none changed. Raises
    UsageError outside of git and where nothing says what is followed, ConfigurationError, and
    EnvironmentFailure."""
    config = configured(options.backend)
    own = backend_of(config)
    before = _before(own, options.since)
    if not before:
        return Linted(0)
    name, version = _followed(config, own, options)
    with open_upstream(config, name, cache_dir(), [version], meter) as opened_upstream:
        commit = resolve(opened_upstream.repository, version)
        with opened(config, opened_upstream, own, cache_dir()) as trees:
            found = new_violations(trees, commit, before)
    return Linted(len(before), f"{opened_upstream.name} {version}", found)


def _before(own: Backend, since: str) -> Mapping[str, bytes | None]:
    """The former text by path of each source file that changed since a commit, None for a new one; files that
    git does not track are nobody's change yet."""
    root = own.root.resolve()
    top, git_dir = repository_around(root)
    if git_dir is None:
        raise UsageError(f"{root} is in no git repository: lint compares with a commit")
    listed = GitCommand(git_dir).run(f"--work-tree={top}", "ls-files", "-z", "--full-name", ":/")
    tracked = {os.fsdecode(path) for path in listed.split(b"\0")}
    below = root.relative_to(top).as_posix()
    paths = {file.path: file.path if below == "." else f"{below}/{file.path}" for file in own.files}
    with GitRepository(git_dir) as repository:
        former = {path: entry.blob for path, entry in repository.tree(repository.resolve(since)).items()}
        changed = {
            file.path: former.get(paths[file.path])
            for file in own.files
            if not file.is_test and paths[file.path] in tracked and former.get(paths[file.path]) != file.blob
        }
        texts = dict(repository.blobs({blob for blob in changed.values() if blob is not None}))
    return {path: texts[blob] if blob is not None else None for path, blob in changed.items()}


def _followed(config: Config, own: Backend, options: LintOptions) -> tuple[str | None, str]:
    """The upstream, None for the default one, and its version that the sources are for."""
    name = options.upstream
    if name is None and config.upstream is None:
        shown = followed(config.backend_path, (file.text for file in own.files if not file.is_test))
        if shown is None:
            raise UsageError(
                "nothing here shows which package is followed: syncbot lint --upstream NAME --at 1.0"
            )
        name = shown.name
    matrix = matrix_of(config) if name is None or name == config.upstream else None
    pin = chosen_pin(pins(config.backend_path, name or config.upstream or ""))
    version = options.at or (matrix.baseline if matrix is not None else pin.version if pin else None)
    if version is None:
        chosen = f" --upstream {without_credentials(name)}" if name is not None else ""
        raise UsageError(f"no file names the version that is followed: syncbot lint{chosen} --at latest")
    return name, version
