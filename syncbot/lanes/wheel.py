"""The wheel of a lane: its version and requirements pin upstream; the same sources give the same bytes."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.errors import EnvironmentFailure

# 2020-02-02, as hatchling itself takes without SOURCE_DATE_EPOCH: archives hold no moment of building.
EPOCH = 1580601600


def build(lane: Path, destination: Path) -> Path:
    """Build the wheel of a lane's folder, by hatchling alone, in this process: the same sources give the same
    bytes. Raises EnvironmentFailure."""
    from hatchling.builders.wheel import WheelBuilder

    with tempfile.TemporaryDirectory(prefix="syncbot-wheel-") as scratch, _environment():
        output = io.StringIO()
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                built = [
                    Path(p) for p in WheelBuilder(str(lane)).build(directory=scratch, versions=["standard"])
                ]
        except Exception as error:
            # hatchling raises plain ValueError, OSError and others of its plugins for a bad project.
            raise EnvironmentFailure(f"cannot build {lane}: {' '.join(str(error).split())}") from error
        wheel = destination / built[0].name
        write_file(wheel, built[0].read_bytes())
    return wheel


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    before = os.environ.get("SOURCE_DATE_EPOCH")
    mask = os.umask(0o022)
    os.environ["SOURCE_DATE_EPOCH"] = str(EPOCH)
    try:
        yield
    finally:
        os.umask(mask)
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before
