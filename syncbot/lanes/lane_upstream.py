"""The upstream that the lanes of a matrix are versions of."""

from __future__ import annotations

from syncbot.config import Config
from syncbot.errors import ConfigurationError
from syncbot.lanes.matrix import Matrix


def distribution_of(config: Config, listed: Matrix) -> str:
    """Return the name of a matrix's upstream in the package index. Raises ConfigurationError."""
    upstream = config.upstreams.get(listed.upstream)
    if upstream is None:
        known = ", ".join(config.upstreams) or "none is"
        raise ConfigurationError(
            f"{config.matrix}: upstream {listed.upstream!r} is not configured ({known}): name another, or "
            f"add [tool.syncbot.upstreams.{listed.upstream}]"
        )
    return upstream.release or listed.upstream
