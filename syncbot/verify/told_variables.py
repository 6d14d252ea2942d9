"""Variables of a run that say what a lane's own stack is: versions in it, and what it names."""

from __future__ import annotations

import zipfile
from email.parser import BytesParser
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name

from syncbot.config import SimulationSettings
from syncbot.errors import ConfigurationError, EnvironmentFailure
from syncbot.lanes.matrix import Lane


def told_variables(settings: SimulationSettings, lane: Lane, wheel: Path) -> dict[str, str]:
    """Return the variables of ``versions`` and ``by_requirement`` for a lane. It has what its stack
    gives a version of, and what its ``requires`` and the requirements of its wheel name; a part without a
    version is not known, and not there. Raises ConfigurationError
    for a version that the stack does not have, EnvironmentFailure for a wheel that cannot be read."""
    stack = {canonicalize_name(name): version for name, version in lane.stack.items() if version is not None}
    told = {}
    for variable, part in settings.versions.items():
        version = stack.get(canonicalize_name(part))
        if version is None:
            raise ConfigurationError(
                f"lane {lane.tag} pins no version of {part}: add it to its stack in the matrix"
            )
        told[variable] = version
    if settings.by_requirement:
        named = {*stack, *_names(lane.requires or ()), *_names(_requirements(wheel))}
        for variable, (distribution, value, otherwise) in settings.by_requirement.items():
            told[variable] = value if canonicalize_name(distribution) in named else otherwise
    return told


def _names(requirements: tuple[str, ...]) -> set[NormalizedName]:
    """The distributions that requirements name; further ones of extras do not count."""
    found = set()
    for text in requirements:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found.add(canonicalize_name(requirement.name))
    return found


def _requirements(wheel: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            (file,) = [
                name
                for name in archive.namelist()
                if name.count("/") == 1 and name.endswith(".dist-info/METADATA")
            ]
            headers = BytesParser().parsebytes(archive.read(file), headersonly=True)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise EnvironmentFailure(
            f"cannot read the metadata of {wheel}: {error}: remove the file and try again"
        ) from error
    return tuple(headers.get_all("Requires-Dist") or ())
