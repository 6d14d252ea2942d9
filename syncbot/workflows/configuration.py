"""Lists the settings that are in force, and where each value comes from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from syncbot import config as configuration
from syncbot.config import Config
from syncbot.configuration_file import configuration_file
from syncbot.errors import UsageError
from syncbot.impact.session import backend_of
from syncbot.upstream.git_command import without_credentials

_VARIABLES = ("SYNCBOT_CACHE", "PIP_INDEX_URL", "UV_TORCH_BACKEND", "TZ")


@dataclass(frozen=True, slots=True)
class Setting:
    """A key with its value, and where that comes from: a file, an environment variable, or ``default``."""

    key: str
    value: object
    origin: str


def settings(backend: Path) -> list[Setting]:
    """Return every setting that is in force for a project. Raises ConfigurationError."""
    config = configuration.load(backend)
    found = configuration_file(backend)
    given = config.model_dump(mode="json", exclude_unset=True)
    defaults = config.model_dump(mode="json", exclude_defaults=False)
    listed = [Setting(key, value, str(found.file)) for key, value in _leaves(given)]
    known = {setting.key.partition(".")[0] for setting in listed}
    listed += [
        Setting(key, value, _default(config, key))
        for key, value in defaults.items()
        if key not in known and value not in (None, {}, [])
    ]
    listed += [Setting(name, os.environ[name], "environment") for name in _VARIABLES if name in os.environ]
    listed = [replace(setting, value=_shown(setting.value)) for setting in listed]
    return [_seen(config), *sorted(listed, key=lambda setting: (setting.origin == "default", setting.key))]


def schema() -> dict[str, Any]:
    """Return the JSON schema of ``syncbot.toml``; that of ``[tool.syncbot]`` is the same."""
    document = Config.model_json_schema()
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = "The configuration of syncbot"
    for name in configuration.NOT_CONFIGURED:
        document["properties"].pop(name, None)
    return document


def _default(config: Config, key: str) -> str:
    return "the first upstream" if key == "upstream" and config.upstreams else "default"


def _seen(config: Config) -> Setting:
    """The packages that are looked at, configured or found."""
    origin = "configured" if config.sources else "found"
    try:
        files = [file.module.partition(".")[0] for file in backend_of(config).files if not file.is_test]
    except UsageError:
        return Setting("packages", [], "none found")
    return Setting("packages", sorted(set(files)), f"{origin} in {config.backend_path}")


def _shown(value: object) -> object:
    """A value without the user and password of an address."""
    if isinstance(value, str):
        return without_credentials(value) if "://" in value else value
    if isinstance(value, dict):
        return {key: _shown(inner) for key, inner in value.items()}
    return [_shown(inner) for inner in value] if isinstance(value, list) else value


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
