"""Pages on the web that reports lead to: upstream's commits, and what each kind of change means."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, metadata
from urllib.parse import quote

from syncbot.config import Config
from syncbot.contracts.changes import ChangeKind
from syncbot.report.model import Report
from syncbot.report.untrusted_text import web_address


def kinds_page(config: Config) -> str:
    """The configured page of kinds, else that below ``SYNCBOT_DOCUMENTATION``, which the action sets, else
    that below the ``Documentation`` of the package, else empty."""
    if config.kinds_page is not None:
        return config.kinds_page
    try:
        declared = metadata("syncbot").get_all("Project-URL") or []
    except PackageNotFoundError:
        declared = []
    addresses = dict(url.split(", ", 1) for url in declared)
    documents = web_address(os.environ.get("SYNCBOT_DOCUMENTATION")) or addresses.get("Documentation")
    return f"{documents.rstrip('/')}/kinds.md" if documents else ""


def kind_url(report: Report, kind: ChangeKind) -> str:
    """Return the address of a kind's description; empty if no page is known."""
    return f"{report.kinds_page}#{kind}" if report.kinds_page else ""


def commit_url(report: Report, sha: str) -> str | None:
    """The page of an upstream commit, if its repository has one."""
    base = web_address(report.web)
    return f"{base}/commit/{quote(sha)}" if base else None
