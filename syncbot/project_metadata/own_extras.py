"""Packages to install beside syncbot, for its work with other packages: an index need not have syncbot."""

from __future__ import annotations

import shlex
from importlib.metadata import PackageNotFoundError, requires

from packaging.requirements import Requirement


def install_line(extra: str) -> str:
    """Return the command that installs what an extra of syncbot asks for; where syncbot is not installed, of
    the package with the extra's name."""
    try:
        lines = requires("syncbot") or ()
    except PackageNotFoundError:
        lines = ()
    wanted = [Requirement(line) for line in lines]
    named = [
        each.name + str(each.specifier)
        for each in wanted
        if each.marker is not None
        and each.marker.evaluate({"extra": extra})
        and not each.marker.evaluate({"extra": ""})
    ]
    return f"pip install {' '.join(map(shlex.quote, named or [extra]))}"
