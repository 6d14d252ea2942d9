"""Accept a finding by its id, with a reason."""

from __future__ import annotations

import getpass
from pathlib import Path

from syncbot import config as configuration
from syncbot.accepting.entries import add, finding


def accept(backend: Path, identity: str, reason: str, author: str | None, expires: str | None) -> Path:
    """Write a finding to the file of accepted ones, and return that. Raises UsageError for what is no id,
    reason or day; ConfigurationError, and EnvironmentFailure."""
    config = configuration.load(backend)
    file = config.root / config.accepted
    add(file, finding(identity, reason, author or _user(), expires))
    return file


def _user() -> str | None:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return None
