"""Compare an installed stack with the lanes of the matrix, or with a plugin's own pins where it has none."""

from __future__ import annotations

import os
from pathlib import Path

from syncbot import config as configuration
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.impact.session import backend_of
from syncbot.lanes import matrix as matrices
from syncbot.lanes import provenance, update
from syncbot.lanes.provenance import WheelOrigin
from syncbot.project_metadata.declared_window import DeclaredWindow, declared_window
from syncbot.project_metadata.documents import Documents
from syncbot.project_metadata.followed import followed, pins
from syncbot.project_metadata.requirements import needed
from syncbot.verify.installed_stack import Installed, current_interpreter, look
from syncbot.verify.plugin_fit import PluginFit, plugin_fit
from syncbot.verify.stack_fit import LaneFit, Names, examine
from syncbot.workflows.first_steps import chosen_pin
from syncbot.workflows.plugin_versions import pins_by_version


def wheel_origins(backend: Path) -> list[WheelOrigin]:
    """Return what is known of the origin of each wheel that was built; nothing is fetched and no code run.
    Raises ConfigurationError."""
    config = configuration.load(backend)
    wheels = sorted((config.root / config.wheels).glob("*.whl"))
    if not any(wheel.with_name(wheel.name + provenance.SUFFIX).exists() for wheel in wheels):
        return [WheelOrigin(wheel.name, "none", "no statement beside it") for wheel in wheels]
    inputs = update.inputs_of(config)
    return [provenance.origin(wheel, inputs) for wheel in wheels]


def examine_stack(
    backend: Path, interpreter: Path | None = None, lane: str | None = None
) -> tuple[Installed, list[LaneFit]]:
    """Return what is installed, and how it fits each lane (or the one of this tag), the best first. The
    interpreter is that of the active virtual environment if none is named. Nothing that is installed is
    imported. Raises UsageError for an unknown lane and for what is no interpreter, ConfigurationError."""
    config = configuration.load(backend)
    matrix = matrices.load(config.root / config.matrix)
    if lane is not None:
        matrix = matrix.model_copy(update={"lanes": (matrix.lane(lane),)})
    installed = look(interpreter or current_interpreter(os.environ), config.parts)
    build = config.simulate.build_environment if config.simulate is not None else {}
    names = Names(matrices.distribution_of(config, matrix), config.project.distribution, build)
    return installed, examine(matrix, installed, names, tuple(config.parts), config.wheels)


def has_lanes(backend: Path) -> bool:
    """Return whether a project has a matrix. Raises ConfigurationError."""
    config = configuration.load(backend)
    return (config.root / config.matrix).exists()


def examine_plugin(backend: Path, interpreter: Path | None = None) -> tuple[Installed, PluginFit]:
    """Return what is installed, and how it fits a plugin without lanes, by the versions and commits that the
    plugin's own files and the tags of its repository name. Nothing that is installed is imported. Raises
    UsageError where nothing shows which package the plugin follows, and for what is no interpreter;
    ConfigurationError."""
    config = configuration.load(backend)
    upstream = _upstream(config)
    installed = look(interpreter or current_interpreter(os.environ), config.parts)
    root = config.backend_path
    named = pins(root, upstream)
    name = Documents(root).name or root.resolve().name
    versions = pins_by_version(root, upstream)
    return installed, plugin_fit(name, upstream, named, chosen_pin(named), needed(root), installed, versions)


def declared_by(backend: Path) -> DeclaredWindow:
    """Return the versions of its upstream that a plugin without lanes declares. Raises UsageError and
    ConfigurationError as `examine_plugin` does."""
    config = configuration.load(backend)
    return declared_window(config.backend_path, _upstream(config))


def _upstream(config: Config) -> str:
    """The distribution that a project follows: the configured one, else the one that it shows."""
    configured = config.upstreams.get(config.upstream or "")
    if configured is not None and configured.release is not None:
        return configured.release
    own = backend_of(config)
    shown = followed(config.backend_path, (file.text for file in own.files if not file.is_test))
    if shown is not None:
        return shown.name
    if config.upstream is None:
        raise UsageError(
            "there is no matrix, and nothing here shows which package is followed: name it in pyproject.toml "
            "as [tool.syncbot.upstreams.NAME]"
        )
    return config.upstream
