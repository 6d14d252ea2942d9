"""Suggests the first command where nothing is configured yet, from the project's own metadata."""

from __future__ import annotations

from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.project_metadata.followed import Followed, Pin, followed, pins


@dataclass(frozen=True, slots=True)
class Taken:
    """An upstream that a project's entry points name, and the version to begin with: nobody asked for it."""

    name: str
    reason: str
    start: str

    def __str__(self) -> str:
        return f"{self.name} is taken for the upstream ({self.reason}), from {self.start} on"


def taken(config: Config, own: Backend) -> Taken | None:
    """Return the upstream to use if none is configured and none was named; None if entry points name none, or
    more than one."""
    found = _followed(config, own)
    if found is None or not found.declared:
        return None
    return Taken(found.name, found.reason, _start(config, found.name))


def is_plugin(config: Config, own: Backend) -> bool:
    """Whether a project's entry points say whose plugin it is."""
    found = _followed(config, own)
    return found is not None and found.declared


def chosen_pin(found: tuple[Pin, ...]) -> Pin | None:
    """The version that the sources are for: the newest of those named exactly, else of the oldest allowed."""
    exact = [pin for pin in found if not pin.bound]
    named = [pin for pin in exact or found if _version(pin) is not None]
    return max(named, key=lambda pin: _version(pin) or Version("0"), default=exact[0] if exact else None)


def without_upstream(config: Config, own: Backend) -> str:
    """The message where no upstream is configured, none was named."""
    found = _followed(config, own)
    if found is None:
        return (
            "no upstream is configured: name the package that you follow, as pip knows it, or its git "
            "repository: syncbot check --upstream NAME --from 1.0 --to latest"
        )
    start = _start(config, found.name)
    return (
        f"no upstream is configured, and {found.name} is likely the one ({found.reason}): "
        f"syncbot check --upstream {found.name} --from {start} --to latest"
    )


def without_range(config: Config, name: str) -> str:
    """The message where nothing says which version of an upstream the sources are for."""
    chosen = "" if name == config.upstream else f" --upstream {name}"
    return (
        "name a range, since no matrix names a baseline here: "
        f"syncbot check{chosen} --from {_start(config, name)} --to latest, or --since yesterday"
    )


def _followed(config: Config, own: Backend) -> Followed | None:
    return followed(config.backend_path, (file.text for file in own.files if not file.is_test))


def _start(config: Config, name: str) -> str:
    pin = chosen_pin(pins(config.backend_path, name))
    return pin.version if pin is not None else "latest~1"


def _version(pin: Pin) -> Version | None:
    try:
        return Version(pin.version)
    except InvalidVersion:
        return None
