"""Begin an overlay project: lanes of a package that somebody else publishes."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name, is_normalized_name
from packaging.version import InvalidVersion, Version
from pydantic import ValidationError

from syncbot import config as configuration
from syncbot import project_folders
from syncbot.atomic import Transaction
from syncbot.config import Config, OverlaySettings
from syncbot.errors import UsageError
from syncbot.overlay import new_project
from syncbot.overlay.new_project import Asked, made_for
from syncbot.overlay.package_metadata import package_folders, package_metadata
from syncbot.overlay.sources import published, unpacked
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter
from syncbot.verify.release_files import open_index

_JOURNAL = ".new-overlay"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOverlayOptions:
    """``package`` is NAME==VERSION, ``upstream`` the name of a distribution, ``lanes`` the versions of it
    that lanes are wanted for; ``baseline`` is the one that the package was made for, if its number is
    another."""

    package: str
    upstream: str
    lanes: tuple[str, ...]
    baseline: str | None = None
    folder: Path = Path()


def new_overlay(options: NewOverlayOptions, meter: Meter = no_meter) -> Config:
    """Write an overlay project into an empty folder, whole or not at all, and return its configuration.
    Raises UsageError for a folder with files, a version that does not exist, a wrong name;
    ConfigurationError; EnvironmentFailure."""
    package = _package(options.package)
    wanted = [_version(text) for text in (*options.lanes, *([options.baseline] if options.baseline else []))]
    journal = _room(options.folder)
    releases = _releases(options.upstream)
    for version in wanted:
        if version not in releases:
            raise UsageError(
                f"{options.upstream} has no release {version}; the newest is {max(releases, default='none')}"
            )
    settings = _fetched(package)
    baseline = str(Version(options.baseline)) if options.baseline else made_for(settings.version, releases)
    asked = Asked(
        settings.package, settings.sha256 or "", options.upstream, baseline,
        tuple(str(Version(lane)) for lane in options.lanes),
    )  # fmt: skip
    sources = unpacked(Config(), settings, cache_dir(), meter)
    package_folders(sources)
    made = new_project.files(asked, package_metadata(sources))
    project_folders.know(options.folder)
    options.folder.mkdir(parents=True, exist_ok=True)
    Transaction(options.folder, journal).commit(dict(made))
    return configuration.load(options.folder)


def _package(text: str) -> tuple[str, str]:
    name, _, version = (part.strip() for part in text.partition("=="))
    if not _is_distribution(name):
        raise UsageError("--package takes the name of a distribution and a version: NAME==VERSION")
    if not version:
        raise UsageError(f"--package {name} names no version: give it as NAME==VERSION")
    return name, str(_version(version))


def _is_distribution(name: str) -> bool:
    """Whether a text is a name that an index may have. One that is not is never repeated: an address may
    hold a password."""
    return is_normalized_name(canonicalize_name(name))


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion as error:
        raise UsageError(f"{text!r} is no version such as 1.2.0") from error


def _room(folder: Path) -> Path:
    """The journal of the folder, once what a killed run left there is gone. Raises UsageError."""
    journal = folder / _JOURNAL
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: name a folder")
    if journal.is_dir():
        Transaction(folder, journal).recover()
    there = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if there:
        raise UsageError(f"{folder.absolute()} is not empty, it holds {there[-1]}: begin in an empty folder")
    return journal


def _releases(upstream: str) -> list[Version]:
    if not _is_distribution(upstream):
        raise UsageError("--upstream takes the name of a distribution, such as --upstream numpy")
    with closing(open_index(None)) as index:
        return sorted({Version(file.version) for file in index.listing(upstream).files})


def _fetched(package: tuple[str, str]) -> OverlaySettings:
    found = published(None, *package, cache_dir())
    try:
        return OverlaySettings(package="==".join(package), sha256=found.sha256)
    except ValidationError as error:
        raise UsageError(f"{package[0]!r} is no name of a package") from error
