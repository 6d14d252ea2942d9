"""Prepares the environment and the wheels that one lane of the matrix needs to run."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from syncbot.config import Config, OverlaySettings, SimulationSettings
from syncbot.errors import ConfigurationError, EnvironmentFailure
from syncbot.lanes import backend_files, wheel
from syncbot.lanes import present as dependences
from syncbot.lanes.generate import Generated
from syncbot.lanes.matrix import Lane
from syncbot.upstream.index_listing import IndexFile
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify import lane_lock, read_only_wheels
from syncbot.verify.environment import Environment, ensure, locked
from syncbot.verify.installer import Installer
from syncbot.verify.lane_lock import LaneLock
from syncbot.verify.made_once_for_runs import OnceForRuns
from syncbot.verify.recipe import Recipe
from syncbot.verify.release_files import open_index, published_source
from syncbot.verify.simulate import Beside, PreparedRun, Subject
from syncbot.verify.told_variables import told_variables
from syncbot.verify.unbuilt_wheel import SOURCES, read_whole, unbuilt_wheel

_Made = TypeVar("_Made")


def beside_folder(cache: Path, digest: str | None) -> Path:
    """Where the wheels of projects are kept whose files have that digest."""
    return cache / "lanes" / f"beside-{(digest or '')[:16]}"


def lock_file(config: Config, lane: Lane) -> Path:
    """The file of a lane's lock."""
    return config.root / config.locks / f"{lane.tag}.txt"


def lock_texts(config: Config, lane: Lane) -> dict[str, str]:
    """The text of a lane's lock by its tag, if there is one. Raises ConfigurationError."""
    try:
        return {lane.tag: lock_file(config, lane).read_text(encoding="utf-8")}
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{lock_file(config, lane)}: cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class SimulationSetup:
    """Makes what simulated runs need: environments, and subjects to run in them. ``locks`` are texts by a
    lane's tag, None for those of the project."""

    config: Config
    settings: SimulationSettings
    installer: Installer
    cache: Path
    meter: Meter = no_meter
    locks: Mapping[str, str] | None = None

    def environment(self, distribution: str, lane: Lane) -> Environment:
        """The lane's environment. Raises EnvironmentFailure, ConfigurationError, UsageError."""
        return self._made(ensure, distribution, lane)

    def lock(self, distribution: str, lane: Lane) -> LaneLock | None:
        """The lock of the lane's environment, which is not installed for it. Raises as ``environment``."""
        return self._made(locked, distribution, lane)

    def _made(self, make: Callable[..., _Made], distribution: str, lane: Lane) -> _Made:
        """Return the result of ``make`` for the lane's recipe and the release's source distribution."""
        sdist = published_source(distribution, str(lane.version), self.config.index, self.cache)

        def download() -> Path:
            with closing(open_index(self.config.index)) as index:
                return index.download(sdist, self.cache, self.meter)

        return make(self.recipe(distribution, sdist, lane), download, self.installer, self.cache, self.meter)

    def stand(self, subject: Subject, environment: Environment) -> PreparedRun:
        """Where a subject's checks are run, with what is made once for them. Raises EnvironmentFailure."""
        once = OnceForRuns(subject, environment, self.installer, self.cache, self.meter)
        made = {name: str(once.folder(wanted)) for name, wanted in self.settings.made_once.items()}
        return PreparedRun(subject, environment, self.settings, self.installer, self.cache, made)

    def digest(self, distribution: str, lane: Lane) -> str:
        """The digest of the lane's environment. Installs nothing; raises what ``environment`` raises."""
        sdist = published_source(distribution, str(lane.version), self.config.index, self.cache)
        return self.recipe(distribution, sdist, lane).digest

    def recipe(self, distribution: str, sdist: IndexFile, lane: Lane) -> Recipe:
        """Return the recipe of the lane's environment. Raises ConfigurationError, EnvironmentFailure."""
        if sdist.sha256 is None:
            raise EnvironmentFailure(
                f"the package index gives no sha256 of {sdist.filename}: it cannot be trusted"
            )
        python = platform.python_version()
        if not SpecifierSet(lane.python).contains(python, prereleases=True):
            raise EnvironmentFailure(
                f"lane {lane.tag} needs Python {lane.python}, but syncbot runs on {python}: "
                f"run syncbot on such a Python"
            )
        pins = tuple(f"{canonicalize_name(name)}=={_pinned(lane, name)}" for name in self.settings.stack)
        recipe = Recipe(
            distribution=distribution,
            version=str(lane.version),
            sdist_sha256=sdist.sha256,
            python=".".join(platform.python_version_tuple()[:2]),
            pins=pins,
            requires=(*self.settings.requires, *(lane.requires or ())),
            build_environment=tuple(self.settings.build_environment.items()),
            sources=self.installer.sources,
            published=sdist.filename if sdist.kind == "wheel" else None,
            without=self.settings.published_without if sdist.kind == "wheel" else (),
        )
        return replace(recipe, lock=self._lock(lane, recipe))

    def _lock(self, lane: Lane, recipe: Recipe) -> LaneLock | None:
        """The lane's lock, None where there is none for this Python and machine. Raises ConfigurationError
        for one of something else than the lane asks for now."""
        texts = lock_texts(self.config, lane) if self.locks is None else self.locks
        if lane.tag not in texts:
            return None
        file = lock_file(self.config, lane)
        lock = lane_lock.parse(texts[lane.tag], file.name)
        if lock.system != lane_lock.this_system():
            return None
        if lock.recipe != recipe.wanted_digest:
            raise ConfigurationError(
                f"{file} locks another stack than {lane.tag} has now: remove it, and verify the lane again"
            )
        return lock

    def subject(self, lane: Lane, made: Generated) -> Subject:
        """Return the subject of a lane's runs: its wheel, those beside it, built now, and those it reads."""
        wheels = self.wheels(lane)
        folder = self.cache / "lanes" / f"{lane.tag}-{made.digest[:16]}"
        if self.config.overlay is not None:
            made_of = self._unbuilt(self.config.overlay, made, folder)
            read = {name: f"{SOURCES}/{path}" for name, path in self.config.overlay.read.items()}
        else:
            made_of, read = wheel.build(made.folder, folder), {}
        told = told_variables(self.settings, lane, made_of)
        present = dependences.present(self.config, lane, backend_files.below(made.folder))
        return Subject(lane.tag, made_of, made.digest, wheels, self.beside(), read, told, present)

    def _unbuilt(self, settings: OverlaySettings, made: Generated, folder: Path) -> Path:
        """The lane's files among those of the package, as a wheel; no build of somebody else's runs."""
        files = read_whole(self.config.backend_path) | backend_files.below(made.folder)
        kept, name = tuple(settings.read.values()), settings.distribution
        return unbuilt_wheel(files, name, settings.version, settings.written, kept, folder)

    def beside(self) -> Beside:
        """The wheels of the project's own that are installed beside a lane's, built unless they are there.
        Raises ConfigurationError, EnvironmentFailure."""
        if not self.settings.beside:
            return Beside()
        digest = backend_files.digest(dependences.beside(self.config).files)
        folder = beside_folder(self.cache, digest)
        return Beside(
            tuple(wheel.build(self.config.root / name, folder) for name in self.settings.beside), digest
        )

    def wheels(self, lane: Lane) -> dict[str, Path]:
        """The wheels that the lane reads, by the variable that names each; downloaded if need be."""
        wheels = {}
        for variable, name in self.settings.wheels.items():
            version = _pinned(lane, name)
            with step(self.meter, f"{name} {version}: wheel"):
                wheels[variable] = read_only_wheels.wheel(name, version, self.cache)
        return wheels


def _pinned(lane: Lane, name: str) -> str:
    for known, version in lane.simulated.items():
        if canonicalize_name(known) == canonicalize_name(name) and version is not None:
            return version
    raise ConfigurationError(f"lane {lane.tag} pins no version of {name}: add it to its stack in the matrix")
