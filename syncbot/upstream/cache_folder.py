"""Where downloads, mirrors, symbol tables and environments are kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from syncbot.errors import EnvironmentFailure
from syncbot.project_folders import refuse_link_out

VARIABLE = "SYNCBOT_CACHE"


def cache_dir() -> Path:
    """The cache directory, made if need be: ``SYNCBOT_CACHE``, else the user's. Raises EnvironmentFailure."""
    chosen = os.environ.get(VARIABLE)
    path = Path(chosen).expanduser().absolute() if chosen else platformdirs.user_cache_path("syncbot")
    refuse_link_out(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFailure(
            f"the cache directory {path} cannot be made ({error.strerror}): set {VARIABLE} to one that can"
        ) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise EnvironmentFailure(
            f"the cache directory {path} is not writable: set {VARIABLE} to one that is, or fix its rights"
        )
    return path
