"""Write the patches that lanes need, generate the lanes and bring the matrix up to date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from syncbot.lanes import unlisted_lane, update
from syncbot.lanes.examined_lanes import ExaminedLanes
from syncbot.lanes.generate import Generated
from syncbot.lanes.unlisted_lane import Made
from syncbot.lanes.update import Update
from syncbot.patching.model import Patch
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import open_upstream
from syncbot.workflows.lane_inputs import finder, lane_inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyOptions:
    """The lanes, by their tags, to look for missing patches of; all lanes without any. With ``check``,
    `apply` writes nothing."""

    backend: Path = Path()
    lanes: tuple[str, ...] = ()
    check: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """The update, the lanes that were generated, and the patches that need an author by their file's path."""

    update: Update
    lanes: tuple[Generated, ...]
    waiting: Mapping[str, Patch]


def apply(options: ApplyOptions, meter: Meter = no_meter) -> Applied:
    """Write the patches for what upstream changed between the baseline and each lane; all files change or
    none. Raises UsageError (unknown lane, patch that does not fit, edits in an overlay's lane),
    ConfigurationError, and EnvironmentFailure."""
    config, inputs = lane_inputs(options.backend, options.check)
    chosen = [inputs.matrix.lane(tag) for tag in options.lanes] or list(inputs.matrix)
    if not options.check:
        update.keep_edits(config, inputs)
    versions = [str(lane.version) for lane in inputs.matrix]
    with open_upstream(config, inputs.matrix.upstream, cache_dir(), versions, meter) as opened:
        examined = ExaminedLanes(config, opened.repository, cache_dir())
        planned = update.plan(config, inputs, chosen, finder(config, opened, meter), examined)
    lanes = () if options.check else tuple(update.carry_out(config, inputs, planned))
    waiting = (patch for patch in planned.inputs.patches if patch.status == "needs-author")
    return Applied(planned, lanes, {update.patch_file(config, patch): patch for patch in waiting})


def try_upstream(
    backend: Path, ref: str, upstream: str | None = None, meter: Meter = no_meter
) -> tuple[unlisted_lane.Target, Made]:
    """Make a lane for a newer upstream that the matrix does not have, beside the others and nowhere else.
    ``upstream`` is the name, URL or path of a repository that has the commit, else the matrix's. Raises
    UsageError for a commit that is unknown, a lane already, or not newer than the baseline."""
    config, inputs = lane_inputs(backend)
    versions = [*(str(lane.version) for lane in inputs.matrix), ref]
    with open_upstream(config, upstream or inputs.matrix.upstream, cache_dir(), versions, meter) as opened:
        target = unlisted_lane.target(opened.repository, inputs.matrix, ref)
        find = finder(config, opened, meter, target.commit)
        return target, unlisted_lane.make(config, inputs, target, find)
