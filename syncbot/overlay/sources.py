"""The sources of an overlay's package: fetched by their digest, unpacked once below the cache."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from packaging.utils import canonicalize_name

from syncbot.atomic import write_folder
from syncbot.config import Config, OverlaySettings
from syncbot.errors import ConfigurationError
from syncbot.upstream.archive import every_member, executable_members
from syncbot.upstream.checkout import every_file
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_mirror import is_url, mirror
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.index_listing import IndexFile
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify.release_files import open_index, published_source


def unpacked(config: Config, settings: OverlaySettings, cache: Path, meter: Meter = no_meter) -> Path:
    """The folder with the sources of the package, in the cache. Raises ConfigurationError where the package
    index has another digest, EnvironmentFailure."""
    name = f"{canonicalize_name(settings.distribution)}-{settings.version}"
    folder = cache / "overlays" / f"{name}-{(settings.sha256 or settings.commit or '')[:16]}"
    if not folder.is_dir():
        with step(meter, f"{settings.package}: sources"):
            write_folder(folder, _files(config, settings, cache, meter))
    return folder


def executable_files(
    config: Config, settings: OverlaySettings, cache: Path, meter: Meter = no_meter
) -> frozenset[str]:
    """The files of the package that git calls executable, which the unpacked folder does not tell. Raises as
    ``unpacked``."""
    if settings.repository is None:
        archive, name = source_distribution(config, settings, cache, meter)
        return frozenset(executable_members(archive, name, config.limits.archive_bytes))
    with closing(_repository(config, settings.repository, cache, meter)) as repository:
        tree = repository.tree(repository.resolve(settings.commit or ""))
        return frozenset(path for path, entry in tree.items() if entry.mode == "100755")


def _files(config: Config, settings: OverlaySettings, cache: Path, meter: Meter) -> Mapping[str, bytes]:
    if settings.repository is None:
        archive, name = source_distribution(config, settings, cache, meter)
        return dict(every_member(archive, name, config.limits.archive_bytes))
    with closing(_repository(config, settings.repository, cache, meter)) as repository:
        commit = repository.resolve(settings.commit or "")
        blobs = every_file(repository, commit)
        return {path: repository.blob(blob) for path, blob in blobs.items()}


def _repository(config: Config, source: str, cache: Path, meter: Meter) -> GitRepository:
    source = source if is_url(source) else str(config.root / Path(source).expanduser())
    access = Access.OWN if is_url(source) else Access.FOREIGN
    return GitRepository(mirror(source, cache, meter), access, config.limits.values)


def source_distribution(
    config: Config, settings: OverlaySettings, cache: Path, meter: Meter = no_meter
) -> tuple[Path, str]:
    """The source distribution of the package in the cache, and the name of its file. Raises
    ConfigurationError where the package index has another digest, EnvironmentFailure."""
    found = published(config.index, settings.distribution, settings.version, cache)
    if found.sha256 != settings.sha256:
        raise ConfigurationError(
            f"the package index has {found.filename} with the sha256 {found.sha256}, but overlay.sha256 is "
            f"{settings.sha256}: it is not what this overlay was made for"
        )
    with closing(open_index(config.index)) as index:
        return index.download(found, cache, meter), found.filename


def published(url: str | None, distribution: str, version: str, cache: Path) -> IndexFile:
    """The source distribution of a release, as the package index lists it. Raises UsageError for a
    distribution that does not exist, ConfigurationError without a source distribution,
    EnvironmentFailure."""
    found = published_source(distribution, version, url, cache)
    if found.kind != "sdist" or found.sha256 is None:
        raise ConfigurationError(
            f"the package index has no source distribution of {distribution} {version} with a sha256: "
            "an overlay needs one, or a commit of a git repository"
        )
    return found
