"""The wheel of a lane: its version and requirements pin upstream; the same sources give the same bytes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from syncbot.atomic import write_file
from syncbot.configuration_file import parsed_toml
from syncbot.errors import EnvironmentFailure
from syncbot.isolation.command import own_python
from syncbot.isolation.run_command import last_words, run
from syncbot.isolation.variables import few

# 2020-02-02, as hatchling itself takes without SOURCE_DATE_EPOCH: archives hold no moment of building.
EPOCH = 1580601600
_PATIENCE = 600
#: Tables of hatchling whose keys are paths: https://hatch.pypa.io/latest/plugins/builder/wheel/
_INCLUDED = frozenset({"force-include", "shared-data", "shared-scripts", "extra-metadata", "sbom-files"})
_BUILD = """
import os
os.umask(0o022)
from hatchling.builders.wheel import WheelBuilder
try:
    list(WheelBuilder(sys.argv[1]).build(directory=sys.argv[2], versions=["standard"]))
except Exception as error:
    # hatchling raises plain ValueError, OSError and others of its plugins for a bad project.
    sys.stdout.flush()
    sys.exit(" ".join(str(error).split()))
"""


def build(lane: Path, destination: Path, beside: Mapping[str, bytes] = MappingProxyType({})) -> Path:
    """Build the wheel of a lane's folder into another folder and return its path. Raises EnvironmentFailure.
    ``beside`` are files by path that take part as well. Only hatchling runs, apart, since a project may have
    hooks; the same sources give the same bytes."""
    _refuse_files_from_outside(lane)
    with (
        tempfile.TemporaryDirectory(prefix="syncbot-wheel-") as scratch,
        tempfile.TemporaryDirectory(prefix="syncbot-told-") as told,
    ):
        home, made = Path(scratch, "home"), Path(scratch, "made")
        home.mkdir()
        sources = shutil.copytree(lane, Path(scratch, lane.name), symlinks=True)
        for path, content in beside.items():
            (sources / path).write_bytes(content)
        variables = few(os.environ, home) | {"TMPDIR": str(home), "SOURCE_DATE_EPOCH": str(EPOCH)}
        command = own_python(_BUILD, str(sources), str(made))
        here, log = Path(scratch), Path(told, "log")
        done = run(
            command, log,
            environment=variables, folder=here, timeout=_PATIENCE, apart_in=here, unchanged=[log.parent],
        )  # fmt: skip
        if done.code is None:
            raise EnvironmentFailure(f"cannot build {lane}: not done after {_PATIENCE} s")
        built = list(made.glob("*.whl"))
        if done.code != 0 or len(built) != 1:
            said = last_words(log) if done.code else "it gave no wheel and no reason"
            raise EnvironmentFailure(f"cannot build {lane}: {said}")
        wheel = destination / built[0].name
        write_file(wheel, built[0].read_bytes())
    return wheel


def _refuse_files_from_outside(lane: Path) -> None:
    """Raise EnvironmentFailure where the project has hatchling put files of the machine into the wheel."""
    try:
        tables: list[object] = [parsed_toml((lane / "pyproject.toml").read_text(encoding="utf-8"))]
    except (OSError, ValueError) as error:
        raise EnvironmentFailure(f"cannot build {lane}: pyproject.toml: {error}") from error
    while tables:
        table = tables.pop()
        if not isinstance(table, dict):
            continue
        tables += table.values()
        for name in _INCLUDED & table.keys():
            for path in table[name] if isinstance(table[name], dict) else ():
                if Path(path).expanduser().is_absolute() or ".." in Path(path).parts:
                    raise EnvironmentFailure(f"cannot build {lane}: {name} of pyproject.toml takes in {path}")
