"""Copies of a lane merged with what upstream made of them, and edits in a lane's folder made patches."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path

from syncbot.atomic import write_file, write_folder
from syncbot.config import Config
from syncbot.contracts.kinds.copies import CopyContract
from syncbot.contracts.source_files import read_backend
from syncbot.errors import UsageError
from syncbot.impact.session import opened
from syncbot.lanes import backend_files, generate, update
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane
from syncbot.overlay.absorbed import resolved, rewrites_of
from syncbot.overlay.recorded_merges import MergeOfCopy, merges_of, with_marks
from syncbot.patching import model
from syncbot.patching.model import Patch, UpstreamChange
from syncbot.patching.source import Source
from syncbot.patching.three_way.recorded_merge import RecordedMerge
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.upstream.opening import open_upstream
from syncbot.workflows.lane_inputs import lane_inputs


@dataclass(frozen=True, slots=True)
class RecordedMerges:
    """The merges that were ``written``, and declined patches that are ``stale``: their copies need none."""

    written: Sequence[MergeOfCopy]
    stale: Sequence[Patch]


def record_merges(backend: Path, tag: str, meter: Meter = no_meter) -> RecordedMerges:
    """Write a patch for each copy in a lane that upstream left behind since the lane before it, and return
    them. Those with conflicts need an author; the lane's folder has their files with marks. Raises UsageError
    for a lane that is no newer than the baseline, ConfigurationError, EnvironmentFailure."""
    config, inputs = lane_inputs(backend)
    lane = inputs.matrix.lane(tag)
    folder = config.root / config.lanes / tag
    generate.keep_edits(inputs, lane, folder)
    before = _before(inputs, lane)
    texts = _texts(generate.render(inputs, lane))
    with step(meter, f"{tag}: copies"):
        copies = _copies(config, inputs, before, texts)
    assert inputs.origins is not None
    ends = (str(before.version), str(lane.version))
    recorded = {(m.file, m.within): p for p in inputs.patches for m in p.merges if m.end == ends[1]}
    made = merges_of(copies, texts, inputs.matrix.upstream, ends, inputs.origins)
    merges = {(m.file, m.within): each for each in made for m in each.patch.merges}
    found = [each for place, each in merges.items() if place not in recorded]
    stale = [patch for place, patch in recorded.items() if patch.declined and place not in merges]
    update.transaction(config).commit(_files(config, [each.patch for each in found]))
    inputs = update.inputs_of(config)
    generate.generate(inputs, lane, folder)
    for file, text in _marked(inputs, lane).items():
        write_file(folder / file, text.encode())
    generate.note(folder, marked=backend_files.digest(backend_files.below(folder)))
    return RecordedMerges(found, stale)


def _before(inputs: Inputs, lane: Lane) -> Lane:
    """The lane before one, or the baseline."""
    baseline = inputs.matrix.baseline_lane
    newer = sorted((x for x in inputs.matrix if x.version >= baseline.version), key=lambda x: x.version)
    pairs = {after.tag: before for before, after in pairwise(newer)}
    if lane.tag not in pairs:
        raise UsageError(f"{lane.tag} is no newer than the baseline {baseline.tag}: nothing changed up to it")
    return pairs[lane.tag]


def _copies(config: Config, inputs: Inputs, before: Lane, texts: Mapping[str, str]) -> list[CopyContract]:
    with tempfile.TemporaryDirectory(prefix="syncbot-lane-") as scratch:
        folder = Path(scratch, "lane")
        write_folder(folder, {path: text.encode() for path, text in texts.items()})
        sources = read_backend(folder, config.sources, (), config.limits.values)
        cache = cache_dir()
        version = str(before.version)
        with (
            open_upstream(config, inputs.matrix.upstream, cache, [version]) as upstream,
            opened(config, upstream, sources, cache) as trees,
        ):
            universe = trees.universe(trees.tree(upstream.repository.resolve(version)))
            return [c for c in trees.contracts(universe) if isinstance(c, CopyContract)]


def _marked(inputs: Inputs, lane: Lane) -> dict[str, str]:
    """The files of a lane with the conflicts of all merges that wait for an author."""
    assert inputs.origins is not None
    texts = _texts(generate.render(inputs, lane))
    merges: dict[str, list[RecordedMerge]] = {}
    for recorded in (each for patch in _waiting(inputs, lane) for each in patch.merges):
        merges.setdefault(recorded.file, []).append(recorded)
    return {
        file: with_marks(Source(texts[file], file), found, inputs.origins) for file, found in merges.items()
    }


def absorb_edits(
    backend: Path, tag: str, reason: str | None = None, only: Sequence[str] = ()
) -> Sequence[Patch]:
    """Write what somebody edited in a lane's folder, or ``only`` in those files of it, as patches, and return
    them. The lane generated again is what the folder has, byte for byte, and the lanes behind it still can be
    generated; else nothing is written, and UsageError is raised. Raises ConfigurationError,
    EnvironmentFailure."""
    config, inputs = lane_inputs(backend)
    lane = inputs.matrix.lane(tag)
    folder = config.root / config.lanes / tag
    if not folder.is_dir():
        raise UsageError(f"{folder} does not exist: syncbot apply generates it")
    edited, before = backend_files.below(folder), generate.render(inputs, lane)
    if only:
        edited = _of_files(before, edited, only)
    _refuse_other_files(before, edited)
    if edited == before:
        return []
    merged = _resolved(inputs, lane, before, edited)
    inputs = _with(inputs, merged)
    before = generate.render(inputs, lane)
    patches = list(merged)
    if edited != before:
        patch = _edited(inputs, lane, reason, _texts(before), _texts(edited))
        inputs, patches = _with(inputs, [patch]), [*patches, patch]
    _hold(inputs, lane, edited)
    update.transaction(config).commit(_files(config, patches))
    return patches


def _of_files(
    before: Mapping[str, bytes], edited: Mapping[str, bytes], only: Sequence[str]
) -> dict[str, bytes]:
    """The files of a lane with the edits of some alone. Raises UsageError for one that the lane has not."""
    if unknown := [path for path in only if path not in before.keys() | edited.keys()]:
        raise UsageError(f"the lane has no file {unknown[0]}: name it as in the lane's folder")
    kept = {path: content for path, content in before.items() if path not in only or path in edited}
    return kept | {path: edited[path] for path in only if path in edited}


def _refuse_other_files(before: Mapping[str, bytes], edited: Mapping[str, bytes]) -> None:
    """Raise UsageError for a file that no patch can follow."""
    for path in sorted(before.keys() | edited.keys()):
        if path not in before or path not in edited:
            raise UsageError(
                f"{path} was {'added' if path in edited else 'removed'}: a patch only changes files"
            )
        if not path.endswith(".py") and before[path] != edited[path]:
            raise UsageError(f"{path} was edited: a patch only changes Python files")


def _resolved(
    inputs: Inputs, lane: Lane, before: Mapping[str, bytes], edited: Mapping[str, bytes]
) -> list[Patch]:
    """The merges whose conflicts somebody took away, with the resolutions."""
    assert inputs.origins is not None
    found = []
    for patch in _waiting(inputs, lane):
        if any(before[each.file] == edited[each.file] for each in patch.merges):
            continue
        merges = [
            resolved(each, before[each.file].decode(), edited[each.file].decode(), inputs.origins)
            for each in patch.merges
        ]
        done = patch.model_copy(update={"merges": tuple(merges), "status": "active", "notes": ""})
        found.append(done.with_originals(inputs.origins))
    return found


def _edited(
    inputs: Inputs, lane: Lane, reason: str | None, before: Mapping[str, str], edited: Mapping[str, str]
) -> Patch:
    rewrites = rewrites_of(before, edited, inputs.patches)
    first = next(path for path in sorted(before) if before[path] != edited[path])
    return Patch(
        id=_last_id(inputs, lane),
        upstream=UpstreamChange(name=inputs.matrix.upstream, first_version=str(lane.version)),
        symbol=first.removesuffix(".py").replace("/", "."),
        reason=reason or f"Edited by hand in the folder of lane {lane.tag}.",
        rewrites=tuple(rewrites),
    )


def _last_id(inputs: Inputs, lane: Lane) -> str:
    """An id that sorts behind those of the lane's version, for an edit is of what their patches made."""
    known = {patch.id for patch in inputs.patches}
    of_version = [patch.id for patch in inputs.patches if patch.upstream.version == lane.version]
    start = f"{re.sub('[+!]', '-', str(lane.version))}-edited"
    start = re.sub(r"-\d\d$", "", max([start, *of_version]))
    start = start if start.endswith("-edited") else f"{start}-edited"
    return next(name for n in count(1) if (name := f"{start}-{n:02}") not in known)


def _hold(inputs: Inputs, lane: Lane, edited: Mapping[str, bytes]) -> None:
    """Raise UsageError unless the lane is what was edited, and those behind it can be generated."""
    made = generate.render(inputs, lane)
    if wrong := [path for path in edited if made.get(path) != edited[path]]:
        raise UsageError(f"{lane.tag}: {wrong[0]} would be generated otherwise than it was edited: report it")
    for other in inputs.matrix:
        if other.version > lane.version:
            generate.render(inputs, other)


def _with(inputs: Inputs, patches: Sequence[Patch]) -> Inputs:
    """The inputs with patches, in the place of those of the same id."""
    new = {patch.id: patch for patch in patches}
    others = [patch for patch in inputs.patches if patch.id not in new]
    return replace(inputs, patches=(*others, *new.values()))


def _waiting(inputs: Inputs, lane: Lane) -> list[Patch]:
    """The merges up to a lane's own version that nobody has resolved."""
    return [
        patch
        for patch in inputs.patches
        if patch.merges and patch.status == "needs-author" and patch.upstream.version == lane.version
    ]


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: content.decode() for path, content in files.items() if path.endswith(".py")}


def _files(config: Config, patches: Sequence[Patch]) -> dict[str, bytes]:
    return {update.patch_file(config, patch): model.dump(patch).encode() for patch in patches}
