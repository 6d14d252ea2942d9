"""Where the page of all kinds of change, ``docs/kinds.md``, stands on the web."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, metadata

from syncbot.config import Config
from syncbot.contracts.changes import ChangeKind
from syncbot.report.model import Report


def kinds_page(config: Config) -> str:
    """The configured page, else the one below the ``Documentation`` that the package declares, else empty."""
    if config.kinds_page is not None:
        return config.kinds_page
    try:
        declared = metadata("syncbot").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    addresses = dict(url.split(", ", 1) for url in declared)
    return f"{addresses['Documentation'].rstrip('/')}/kinds.md" if "Documentation" in addresses else ""


def kind_url(report: Report, kind: ChangeKind) -> str:
    """What the page says of a kind; empty where no page is known."""
    return f"{report.kinds_page}#{kind}" if report.kinds_page else ""
