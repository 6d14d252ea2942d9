"""Wheels that were built join the index of those that are published, a folder for any web server."""

from __future__ import annotations

from pathlib import Path

from syncbot.atomic import write_file
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.lanes import provenance, wheel_index
from syncbot.workflows.project import configured


def publish_index(backend: Path, wheels: Path | None, output: Path) -> tuple[Path, list[wheel_index.Listed]]:
    """Copy wheels (the configured folder's, if none is named) and their statements into the folder of an
    index, and return the folder that pip takes, and all that it lists. What is there already stays. Raises
    UsageError where there is no wheel or a published one would change; ConfigurationError and
    EnvironmentFailure."""
    config = configured(backend)
    folder = wheels if wheels is not None else config.root / config.wheels
    built = sorted(file for file in folder.glob("*.whl") if file.is_file())
    if not built:
        raise UsageError(
            f"{folder} holds no wheel: build them with syncbot build --all, or name their folder"
        )
    # All are read and compared before the first is written, so that nothing is published in halves.
    added = [wheel for wheel in built if _is_new(wheel, output / wheel.name)]
    try:
        for wheel in added:
            origin = wheel.with_name(wheel.name + provenance.SUFFIX)
            for file in filter(Path.is_file, (origin, wheel)):
                write_file(output / file.name, file.read_bytes())
    except OSError as error:
        raise EnvironmentFailure(f"{error.filename} cannot be read: {error.strerror}") from error
    return output / wheel_index.FOLDER, wheel_index.write_index(output)


def _is_new(wheel: Path, published: Path) -> bool:
    found = wheel_index.read(wheel)
    if not published.exists():
        return True
    if found.sha256 != wheel_index.read(published).sha256:
        raise UsageError(
            f"{published} is published with other content, which somebody may have pinned: raise the lane's "
            "wheel to the next .postN in the matrix and build it, or name another folder with --output"
        )
    return False
