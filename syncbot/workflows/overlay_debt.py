"""Record what an overlay's package owes on its own upstream, and accept findings of lanes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import debt
from syncbot.lanes.debt import Debt
from syncbot.lanes.generate import Inputs, generate
from syncbot.overlay import settled_debt
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify.static_check import StaticResult, check_lane
from syncbot.workflows.lane_checks import Meters
from syncbot.workflows.lane_inputs import lane_inputs


def record_debt(backend: Path, meters: Meters) -> tuple[Debt, int]:
    """Write the debt of the baseline; returns it, and how many entries are there no more. Raises UsageError
    for a project that is no overlay, ConfigurationError, EnvironmentFailure."""
    config, inputs = _overlay(backend)
    checked = _checked(config, inputs, inputs.matrix.baseline, meters)
    file = _file(config)
    before = debt.load(file)
    after = settled_debt.recorded(before, checked, str(inputs.matrix.baseline_lane.version))
    write_file(file, debt.dump(after).encode())
    return after, len({e.id for e in before.findings} - {e.id for e in after.findings})


def accept_findings(
    backend: Path, tag: str, accepted: Sequence[str], reason: str | None, meters: Meters
) -> list[str]:
    """Take findings of a lane into the debt, with a reason, and return a line for each that is left. Raises
    UsageError for an id that the lane does not have, ConfigurationError, EnvironmentFailure."""
    config, inputs = _overlay(backend)
    lane = inputs.matrix.lane(tag)
    checked = _checked(config, inputs, lane.tag, meters)
    file, names = _file(config), settled_debt.named(checked)
    if unknown := [name for name in accepted if name not in names.values()]:
        raise UsageError(f"lane {lane.tag} has no finding {unknown[0]}")
    known = debt.load(file)
    if accepted:
        known = settled_debt.recorded(known, checked, str(lane.version), accepted)
        known = Debt(
            findings=tuple(
                entry.model_copy(update={"reason": reason}) if reason and entry.id in accepted else entry
                for entry in known.findings
            )
        )
        write_file(file, debt.dump(known).encode())
    held = settled_debt.settled(known, checked)
    lines = [*(str(each) for each in held.beyond), *(drift.lines()[0] for drift in held.left)]
    return [f"{names[line]} {line}" for line in lines]


def _overlay(backend: Path) -> tuple[Config, Inputs]:
    config, inputs = lane_inputs(backend)
    if config.overlay is None:
        raise UsageError(f"{config.root} is no overlay: its own sources owe nothing, fix them")
    return config, inputs


def _file(config: Config) -> Path:
    return config.root / (config.overlay.debt if config.overlay is not None else "")


def _checked(config: Config, inputs: Inputs, tag: str, meters: Meters) -> StaticResult:
    lane = inputs.matrix.lane(tag)
    made = generate(inputs, lane, config.root / config.lanes / lane.tag)
    with meters() as progress:
        return check_lane(config, inputs.matrix, lane, made.folder, cache_dir(), progress)
