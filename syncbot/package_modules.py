"""Importing all modules of a package: what registers itself is found by its presence there."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache


@cache
def import_all(package: str) -> None:
    """Import every module of the package of that dotted name."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")
