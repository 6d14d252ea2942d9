"""OWNER/NAME of the repository to publish to, and what else GitHub Actions says in the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from syncbot.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9-]{1,39}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_TAIL = re.compile(r"[/:](?P<name>[^/:]+/[^/]+?)(?:\.git)?/?")


def repository_name(given: str | None, environment: Mapping[str, str], remote: str | None) -> str:
    """Return OWNER/NAME: as given, else GITHUB_REPOSITORY, else the remote URL's end. Raises UsageError."""
    chosen = given or environment.get("GITHUB_REPOSITORY") or _of_url(remote or "")
    if chosen is None:
        raise UsageError("no repository: give --repository OWNER/NAME or set GITHUB_REPOSITORY")
    if not _NAME.fullmatch(chosen):
        raise UsageError(f"{chosen!r} is no repository such as octocat/hello-world")
    return chosen


def run_page(environment: Mapping[str, str]) -> str | None:
    """Return the page of the running workflow, None outside of GitHub Actions."""
    needed = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, name, run = (environment.get(key) for key in needed)
    return f"{server}/{name}/actions/runs/{run}" if server and name and run else None


def web_host(api: str) -> str:
    """Return the host of the pages and repositories whose API is at a URL."""
    return (urlsplit(api).hostname or "").removeprefix("api.")


def _of_url(url: str) -> str | None:
    found = re.fullmatch(rf"(?:\w+://[^/]+|[^/]*@?[^/:]+){_TAIL.pattern}", url)
    return found["name"] if found and _NAME.fullmatch(found["name"]) else None
