"""The names of libcst, which takes long to import: that is done when the first of them is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libcst import *  # noqa: F403 (what it exports is what this module has)
    from libcst.metadata import Assignment as Assignment
    from libcst.metadata import BaseAssignment as BaseAssignment
    from libcst.metadata import ImportAssignment as ImportAssignment
    from libcst.metadata import MetadataWrapper as MetadataWrapper
    from libcst.metadata import Scope as Scope
    from libcst.metadata import ScopeProvider as ScopeProvider
else:

    def __getattr__(name: str) -> Any:
        """A name of libcst, kept here from then on. Raises AttributeError for what it has not."""
        import libcst.metadata

        value = globals()[name] = getattr(libcst, name, None) or getattr(libcst.metadata, name)
        return value
