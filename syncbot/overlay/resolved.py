"""The configuration of an overlay project, made to work on the sources of its package."""

from __future__ import annotations

from pathlib import Path

from syncbot.config import Config, ProjectConfig
from syncbot.overlay.package_metadata import package_folders
from syncbot.overlay.sources import unpacked
from syncbot.upstream.model import Meter, no_meter


def resolved(config: Config, cache: Path, meter: Meter = no_meter) -> Config:
    """The configuration, whose backend is the folder of the unpacked sources and whose ``sources`` are
    the packages there; as it is where it is no overlay's. Raises ConfigurationError, EnvironmentFailure."""
    if config.overlay is None:
        return config
    folder = unpacked(config, config.overlay, cache, meter)
    packages = package_folders(folder)
    names = ProjectConfig(distribution=config.overlay.distribution, package=packages[0].removeprefix("src/"))
    own = {"apart": folder, "backend": ".", "sources": packages, "tests": (), "project": names}
    return config.model_copy(update=own)
