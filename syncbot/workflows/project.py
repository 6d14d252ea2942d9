"""The project that a workflow works on: its configuration, its matrix and its patches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from syncbot import config as configuration
from syncbot.config import Config
from syncbot.lanes import matrix as matrices
from syncbot.lanes.matrix import Matrix
from syncbot.overlay.resolved import resolved
from syncbot.patching import model as patches
from syncbot.patching.model import Patch
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter

_SHARED = (
    *("upstreams", "upstream", "siblings", "device_apis", "environment", "timezone"),
    *("operator_registrars", "kernel_decorators"),
)


def with_sources(backend: Path, meter: Meter = no_meter) -> Config:
    """The configuration of a project whose sources are there: those of an overlay are fetched. Raises
    ConfigurationError, EnvironmentFailure."""
    return resolved(configuration.load(backend), cache_dir(), meter)


def configured(backend: Path) -> Config:
    """The configuration of a backend's repository. If it names no upstream, that of the current folder says
    what the upstreams are. Raises ConfigurationError for a folder that does not exist or a wrong value,
    EnvironmentFailure where the sources of an overlay cannot be fetched."""
    config = with_sources(backend)
    if config.upstreams or backend.resolve() == Path().resolve():
        return config
    here = configuration.load(Path())
    return config.model_copy(update={name: getattr(here, name) for name in _SHARED})


def matrix_of(config: Config) -> Matrix | None:
    """The project's matrix, if it has one. Raises ConfigurationError."""
    file = config.root / config.matrix
    return matrices.load(file, config.limits.lanes) if file.exists() else None


def patches_of(config: Config) -> Sequence[Patch]:
    """The project's patches, if it has any; their code does not run unless the configuration allows it.
    Raises ConfigurationError."""
    folder = config.root / config.patches
    return patches.load(folder, config.allow_patch_code) if folder.is_dir() else ()
