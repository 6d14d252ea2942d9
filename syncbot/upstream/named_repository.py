"""Which of the addresses in a distribution's metadata is that of its git repository."""

from __future__ import annotations

import re
from collections.abc import Mapping

# https://packaging.python.org/en/latest/specifications/well-known-project-urls/
_SOURCE = frozenset({"source", "repository", "sourcecode", "github", "code"})
_ON_A_CODE_HOST = re.compile(
    r"https://(?:github|gitlab|gitee|codeberg|bitbucket)\.(?:com|org)/[\w.-]+/[\w.-]+/?"
)


def named_repository(urls: Mapping[str, str], home_page: str | None = None) -> str | None:
    """The address behind a label for sources, else the first on a host of git repositories; None without.
    Anything else may be any page."""
    labelled = [url for label, url in urls.items() if re.sub(r"\W", "", label).lower() in _SOURCE]
    told = [*labelled, *urls.values(), *([home_page] if home_page else [])]
    found = [url for url in told if isinstance(url, str) and _ON_A_CODE_HOST.fullmatch(url)]
    return found[0].rstrip("/") if found else None
