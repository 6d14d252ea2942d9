"""Pack a lane of an overlay: its source distribution, a wheel for review, commits for git, and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.config import Config, OverlaySettings
from syncbot.errors import UsageError
from syncbot.lanes import debt, generate
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane
from syncbot.lanes.present import present
from syncbot.overlay import series
from syncbot.overlay.pages import LaneFacts, notice, pages
from syncbot.overlay.series import Change
from syncbot.overlay.source_distribution import NOTICE, patched, with_version
from syncbot.overlay.sources import executable_files, source_distribution
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify.unbuilt_wheel import read_whole, unbuilt_wheel
from syncbot.workflows.lane_inputs import lane_inputs


@dataclass(frozen=True, slots=True)
class BuiltLane:
    """The files that were written. ``sdist`` is None for an overlay of a git repository, which has none."""

    folder: Path
    sdist: Path | None
    wheel: Path
    series: tuple[Path, ...]
    pages: tuple[Path, ...]


def build_lane(backend: Path, tag: str, output: Path | None = None, meter: Meter = no_meter) -> BuiltLane:
    """Write all that comes out of a lane into a folder, and say what. The same inputs give the same bytes.
    Raises UsageError for a project that is no overlay and for an unknown lane, ConfigurationError,
    EnvironmentFailure."""
    config, inputs = lane_inputs(backend)
    if config.overlay is None:
        raise UsageError(f"{config.root} is no overlay project: syncbot build builds its wheels")
    lane = inputs.matrix.lane(tag)
    folder = output if output is not None else config.root / config.wheels / tag
    with step(meter, f"{tag}: sources"):
        files = generate.render(inputs, lane)
        commits = list(series.changes(inputs, lane))
    with step(meter, f"{tag}: commits"):
        executable = executable_files(config, config.overlay, cache_dir(), meter)
        written = series.write_series(commits, folder / "series", executable)
    marked = lane.marked(present(config, lane, files)) if lane.checks else lane
    facts = _facts(config, config.overlay, inputs, marked, commits, [file.name for file in written])
    whole = read_whole(config.backend_path)
    changed = {**files, **with_version(whole, config.overlay.version, lane.wheel)}
    notices = [whole[NOTICE].decode()] if NOTICE in whole else []
    changed[NOTICE] = "\n".join([*notices, notice(facts)]).encode()
    with step(meter, f"{tag}: packages"):
        sdist = _sdist(config, config.overlay, changed, lane, folder, meter)
        kept = tuple(config.overlay.read.values())
        wheel = unbuilt_wheel(
            {**whole, **changed},
            config.overlay.distribution,
            lane.wheel,
            config.overlay.written,
            kept,
            folder,
        )
    told = []
    for name, text in pages(facts).items():
        write_file(folder / name, text.encode())
        told.append(folder / name)
    return BuiltLane(folder, sdist, wheel, tuple(written), tuple(told))


def _sdist(
    config: Config,
    settings: OverlaySettings,
    changed: dict[str, bytes],
    lane: Lane,
    folder: Path,
    meter: Meter,
) -> Path | None:
    if settings.repository is not None:
        return None
    archive, _ = source_distribution(config, settings, cache_dir(), meter)
    return patched(archive, changed, settings.distribution, lane.wheel, folder)


def _facts(
    config: Config,
    settings: OverlaySettings,
    inputs: Inputs,
    lane: Lane,
    changes: Sequence[Change],
    commits: Sequence[str],
) -> LaneFacts:
    baseline = inputs.matrix.baseline_lane
    name = settings.distribution.replace("-", "_")
    return LaneFacts(
        package=settings.package,
        distribution=settings.distribution,
        version=settings.version,
        upstream=inputs.distribution,
        baseline=str(baseline.version),
        lane=lane,
        patches=[step.patch for step in inputs.steps(lane)],
        waiting=[
            patch
            for patch in inputs.patches
            if patch.status == "needs-author" and baseline.version < patch.upstream.version <= lane.version
        ],
        debt=debt.load(config.root / settings.debt),
        checks={name: lane.shown(name) for name in sorted(lane.checks)},
        series=commits,
        changes=changes,
        sdist=None if settings.repository else f"{name}-{lane.wheel}.tar.gz",
        wheel=f"{name}-{lane.wheel}-py3-none-any.whl",
    )
