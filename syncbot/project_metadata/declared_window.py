"""Which versions of its upstream a project says that it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from syncbot.project_metadata.stated_requirements import Stated, constraints, metadata_requirements


@dataclass(frozen=True, slots=True)
class DeclaredWindow:
    """The versions of its upstream that a project's metadata allows, in one requirement or, in different
    extras, several; and the ``constraints`` that restrict them."""

    requirements: tuple[Stated, ...]
    constraints: tuple[Stated, ...] = ()

    @property
    def bounds_below(self) -> bool:
        """Whether every requirement names an oldest version."""
        return bool(self.requirements) and all(
            any(one.operator in (">=", ">", "~=", "==", "===") for one in each.requirement.specifier)
            for each in self.requirements
        )

    def holds(self, version: Version) -> bool:
        """Whether a version is one of the declared ones: one requirement allows it, and each constraint."""
        return any(
            each.requirement.specifier.contains(version, prereleases=True) for each in self.requirements
        ) and all(each.requirement.specifier.contains(version, prereleases=True) for each in self.constraints)

    def __str__(self) -> str:
        return "; ".join(map(str, (*self.requirements, *self.constraints)))


def declared_window(root: Path, distribution: str) -> DeclaredWindow:
    """Return what a project declares of a distribution; no requirements where it names none."""
    name = canonicalize_name(distribution)

    def of(stated: Sequence[Stated]) -> tuple[Stated, ...]:
        return tuple(each for each in stated if each.name == name)

    return DeclaredWindow(of(metadata_requirements(root)), of(constraints(root)))
