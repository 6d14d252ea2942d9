"""Which upstream modules are its tests: what they call tells nothing of what runs with the backend."""

from __future__ import annotations

_FOLDERS = {"tests", "test"}


def is_test(module: str) -> bool:
    """Whether a module of that dotted name stands among tests, or is one by its name."""
    *folders, name = module.split(".")
    return name == "conftest" or name.startswith("test_") or not _FOLDERS.isdisjoint((*folders, name))
