"""The distribution installed for an end of a range: the release of upstream at it, or the nearest one with
the Python files of the commit in the place of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.impact.trees import Trees
from syncbot.project_metadata.documents import Documents
from syncbot.running.environment import Installed
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import Upstream
from syncbot.verify.once_made_folders import made_once
from syncbot.verify.release_files import open_index
from syncbot.witness.exported_tree import exported

_SHORT = 10
_OF_METADATA = ("pyproject.toml", "setup.cfg", "setup.py")


@dataclass(frozen=True, slots=True)
class End:
    """One end of a range: the commit, the distribution and the version that are installed for it, and whether
    the Python files of the commit are laid over that release's."""

    commit: str
    distribution: str
    version: Version
    overlaid: bool

    @property
    def shown(self) -> str:
        """The installed release in words, and the commit whose Python files are laid over it, if any."""
        release = f"{self.distribution} {self.version}"
        return f"{release} with the Python files of {self.commit[:_SHORT]}" if self.overlaid else release


def end_of(config: Config, followed: Upstream, trees: Trees, commit: str) -> End:
    """Which release stands for a commit, else which is the nearest before it that the package index has a
    wheel of. Raises UsageError where there is none, EnvironmentFailure."""
    distribution = distribution_of(config, followed, commit)
    named = dict(_tagged(followed, commit))
    wheels = published(config, distribution)
    here = named.get(commit)
    if here is not None and here in wheels:
        return End(commit, distribution, here, False)
    before = [v for v in _behind(followed, trees, commit, named) if v in wheels]
    if not before:
        raise UsageError(
            f"the package index has no wheel of {distribution} at {commit[:_SHORT]} or before it: "
            "name an end that it has, such as a version"
        )
    return End(commit, distribution, max(before), True)


def _tagged(followed: Upstream, commit: str) -> Mapping[str, Version]:
    """The version that stands for a commit, by the commit."""
    versions = {tag: version for version, tag in followed.repository.version_tags()}
    tags = followed.repository.tagged_commits()
    if commit in tags and tags[commit] in versions:
        return {commit: versions[tags[commit]]}
    found = [
        v for v, tag in followed.repository.version_tags(commit) if followed.repository.commit(tag) == commit
    ]
    return {commit: max(found)} if found else {}


def _behind(followed: Upstream, trees: Trees, commit: str, named: Mapping[str, Version]) -> list[Version]:
    """The versions that a commit comes after."""
    if commit in named:
        return [version for version, _ in followed.repository.version_tags() if version <= named[commit]]
    return [version for version, _ in followed.repository.version_tags(commit)]


def distribution_of(config: Config, followed: Upstream, commit: str) -> str:
    """The name by which upstream is installed: configured, what its files say, else its package's."""
    configured = config.upstreams.get(followed.name)
    if configured is not None and configured.release:
        return configured.release
    if followed.kind == "release":
        return followed.name
    tree = followed.repository.tree(commit)
    with tempfile.TemporaryDirectory(prefix="metadata-") as folder:
        for name in _OF_METADATA:
            if name in tree:
                (Path(folder) / name).write_bytes(followed.repository.blob(tree[name].blob))
        return Documents(Path(folder)).name or followed.packages[0]


def published(config: Config, distribution: str) -> frozenset[Version]:
    """The versions that the package index has wheels of. What an index that cannot be asked has is not known,
    and any may be meant: what pip is told besides, such as a folder of wheels, is not asked here."""
    with closing(open_index(config.index)) as index:
        try:
            files = index.listing(canonicalize_name(distribution)).files
        except UsageError as error:
            raise UsageError(f"{error}: --run installs it from there") from error
    return frozenset(Version(file.version) for file in files if file.kind == "wheel" and not file.yanked)


def overlay(
    end: End, trees: Trees, installed: Installed, cache: Path, meter: Meter = no_meter
) -> Path | None:
    """The folder with upstream's packages as they are installed, their Python files being those of the
    commit; None where the release is run as it is. Raises EnvironmentFailure."""
    if not end.overlaid:
        return None
    target = cache / "running" / "overlays" / f"{end.commit}-{installed.digest[:12]}"

    def make(scratch: Path) -> Path:
        made = scratch / "made"
        site = installed.site
        for package in trees.packages:
            _link_all(site / package, made / package)
        _copy_all(exported(trees, end.commit, cache, meter), made)
        return made

    return made_once(target, lambda: target if target.is_dir() else None, make, meter)


def _link_all(source: Path, target: Path) -> None:
    """Link the files of a package that are no Python."""
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name != "__pycache__"]
        place = target / Path(folder).relative_to(source)
        for name in names:
            if not name.endswith((".py", ".pyc")):
                place.mkdir(parents=True, exist_ok=True)
                _link(Path(folder) / name, place / name)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        target.write_bytes(source.read_bytes())


def _copy_all(source: Path, target: Path) -> None:
    for file in source.rglob("*.py"):
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())
