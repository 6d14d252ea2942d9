"""Reads the state that checks of a lane may depend on: the projects beside it, and its environment."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from syncbot.api.cache import TableCache, source_digest
from syncbot.config import Config, SimulationSettings
from syncbot.lanes import backend_files, code_units, debt, generate
from syncbot.lanes.code_units import Units
from syncbot.lanes.dependence import Present, Sources
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.upstream.cache_folder import cache_dir


def present(
    config: Config,
    lane: Lane,
    files: Mapping[str, bytes],
    published: str | None = None,
    units: Callable[[bytes], Units] = code_units.units,
) -> Present:
    """Return the state that checks of a lane with these files may depend on, ``units`` being told of each.
    Raises ConfigurationError."""
    environment = None if config.simulate is None else _environment(config, config.simulate, lane)
    accepted = None if config.overlay is None else debt.load(config.root / config.overlay.debt).digest
    return Present(Sources(files), beside(config), environment, published, accepted, units)


def marked(config: Config, inputs: Inputs) -> Matrix:
    """The matrix with the patches and the digest that each lane has now, and with what is stale. Raises
    ConfigurationError, and NoMatch or CannotRewrite for a patch that no longer fits."""
    matrix, folder = inputs.matrix, config.root / config.lanes
    with _kept_units() as units:
        for lane in matrix.lanes:
            files = generate.files_of(inputs, lane, folder / lane.tag)
            patches = tuple(sorted(step.patch.id for step in inputs.steps(lane)))
            facts = {"sources": backend_files.digest(files), "patches": patches}
            now = lane.model_copy(update=facts)
            if lane.checks:
                now = now.marked(present(config, lane, files, units=units))
            matrix = matrix.with_lane(now)
    return matrix


@contextmanager
def _kept_units() -> Iterator[Callable[[bytes], Units]]:
    """The parts of files, which stay known by the files' digests: lanes share most files, for ever."""
    # Each Python reads what it can.
    version = f"{source_digest(code_units)}_{sys.version_info.major}_{sys.version_info.minor}"
    kept = TableCache(cache_dir() / "tables", "units", version, code_units.units, Units)
    try:
        yield lambda source: kept.get(hashlib.sha256(source).hexdigest(), lambda _: source)
    finally:
        kept.close()


def beside(config: Config) -> Sources:
    """The files of the projects that simulated runs have beside a lane. Raises ConfigurationError."""
    names = config.simulate.beside if config.simulate is not None else ()
    return Sources(
        {
            f"{name}/{path}": content
            for name in names
            for path, content in backend_files.read(config.root / name).items()
        }
    )


def _environment(config: Config, settings: SimulationSettings, lane: Lane) -> str:
    """A digest of what a lane's simulated runs are installed with, and of what they are told."""
    stack = {canonicalize_name(name): version for name, version in lane.simulated.items()}
    own = {canonicalize_name(name): version for name, version in lane.stack.items() if version is not None}
    named = {*own, *map(_name, lane.requires or ())}
    overlay = config.overlay
    facts = {
        "upstream": str(lane.version),
        "lock": _lock(config, lane),
        "stack": {
            name: stack.get(canonicalize_name(name)) for name in [*settings.stack, *settings.wheels.values()]
        },
        "versions": {name: own.get(canonicalize_name(name)) for name in settings.versions.values()},
        "has": {name: canonicalize_name(name) in named for name, _, _ in settings.by_requirement.values()},
        "requires": sorted([*settings.requires, *(lane.requires or ())]),
        "build": [settings.build_environment, list(settings.published_without)],
        "told": [settings.check, settings.environment, settings.by_requirement],
        "package": overlay and overlay.model_dump(mode="json", exclude={"debt"}),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _lock(config: Config, lane: Lane) -> str | None:
    """A digest of the lane's lock without its comments; None where there is none."""
    file = config.root / config.locks / f"{lane.tag}.txt"
    if not file.is_file():
        return None
    lines = (line for line in file.read_bytes().splitlines() if not line.startswith(b"#"))
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def _name(requirement: str) -> str:
    try:
        return canonicalize_name(Requirement(requirement).name)
    except InvalidRequirement:
        return requirement
