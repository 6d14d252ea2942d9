"""Generate lanes and build their wheels, in a folder that is a package index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import tomlkit
from tomlkit.items import Table

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import backend_files, generate, provenance, wheel, wheel_index
from syncbot.lanes.present import present
from syncbot.workflows.lane_inputs import lane_inputs


def build_wheels(
    backend: Path, tags: Sequence[str], output: Path | None, tell: Callable[[Path, Sequence[str]], object]
) -> Path:
    """Build the wheels of lanes, all if none is named, and return the folder that pip takes as an index. They
    are written to the folder ``output``, else to the configured one; ``tell`` is given each with what it
    requires. Raises UsageError for an unknown lane and for a patch that does not fit the sources,
    ConfigurationError, and EnvironmentFailure."""
    config, inputs = lane_inputs(backend)
    if config.overlay is not None:
        raise UsageError("an overlay's lanes are packed with sources and pages: use syncbot overlay build")
    folder = output if output is not None else config.root / config.wheels
    # All lanes are generated before the first wheel is written: a patch that does not fit leaves the folder.
    made = [
        (lane, generate.generate(inputs, lane, config.root / config.lanes / lane.tag))
        for lane in ([inputs.matrix.lane(tag) for tag in tags] or inputs.matrix)
    ]
    for lane, generated in made:
        built = wheel.build(generated.folder, folder, _beside(config, generated.folder))
        marked = lane.marked(present(config, lane, backend_files.below(generated.folder)))
        provenance.write(inputs, marked, generated.digest, built)
        tell(built, generate.requirements(inputs, lane))
    wheel_index.write_index(folder)
    return folder / wheel_index.FOLDER


def _beside(config: Config, lane: Path) -> dict[str, bytes]:
    """Return the files that the lane's folder lacks: the licence, a pyproject.toml with addresses."""
    files = {}
    if not any(lane.glob("LICEN[CS]E*")):
        found = sorted(file for file in config.root.glob("LICEN[CS]E*") if file.is_file())
        files = {file.name: file.read_bytes() for file in found}
    document = tomlkit.parse((lane / "pyproject.toml").read_text(encoding="utf-8"))
    project = document["project"]
    if config.project.urls and isinstance(project, Table) and "urls" not in project:
        project["urls"] = dict(config.project.urls)
        files["pyproject.toml"] = tomlkit.dumps(document).encode()
    return files
