"""Bringing patches, lanes and the matrix up to date: what would change, and changing it all at once."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from syncbot import atomic
from syncbot.config import Config
from syncbot.deriving import model as derived
from syncbot.errors import ConfigurationError, UsageError
from syncbot.lanes import backend_files, generate, matrix, patch_proof, retirement
from syncbot.lanes.author_hints import for_author
from syncbot.lanes.examined_lanes import ExaminedLanes
from syncbot.lanes.findings import LaneFinding, Told
from syncbot.lanes.generate import Generated, Inputs
from syncbot.lanes.matrix import Lane, Matrix, distribution_of
from syncbot.lanes.override_origins import Origins
from syncbot.lanes.present import marked
from syncbot.patching import model, proposals
from syncbot.patching.apply import Chain
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.model import Patch, Rewrite, UpstreamChange
from syncbot.planning.rule_application import ordered
from syncbot.planning.way_back import turned
from syncbot.upstream.cache_folder import cache_dir
from syncbot.version_gates.version_tests import Gate

#: Says what sources of the second lane, generated into a folder, still lack and the first one does not; of
#: what is told, no more than that.
Finder = Callable[[Matrix, Lane, Lane, Path, Collection[Told]], Sequence[LaneFinding]]

_JOURNAL = ".apply"


@dataclass(frozen=True, slots=True)
class Update:
    """The result of an update: inputs, rewriting patches, files to write (path → content), patches
    ``retired`` with the last lane that needed them, and ``revived`` ones; ``stale`` are declined ones that no
    finding needs."""

    inputs: Inputs
    written: tuple[Patch, ...]
    changes: Mapping[str, bytes]
    retired: tuple[Patch, ...] = ()
    revived: tuple[Patch, ...] = ()
    stale: tuple[Patch, ...] = ()


def inputs_of(config: Config, check: bool = False) -> Inputs:
    """Sources, matrix and patches as configured. Raises ConfigurationError for the first that is wrong;
    UsageError where it is for a ``check`` and patches have code that the configuration lets none run."""
    listed = matrix.load(config.root / config.matrix, config.limits.lanes)
    if config.project.package is None and config.overlay is None:
        raise ConfigurationError("set project.package in [tool.syncbot]: the backend's import package")
    patches = model.load(config.root / config.patches, runs_code=not check or config.allow_patch_code)
    code = [patch for patch in patches if patch.status == "active" and patch.code is not None]
    if code and check and not config.allow_patch_code:
        raise UsageError(model.not_run(code))
    origins = Origins(config, listed.upstream, cache_dir())
    return Inputs(
        files=sources_of(config),
        matrix=listed,
        patches=tuple(patch.with_originals(origins) for patch in patches),
        distribution=distribution_of(config, listed),
        package=config.project.package if config.overlay is None else None,
        derivations=tuple(derived.load(config.root / config.derived)),
        origins=origins,
        gate=Gate(config.gate, config.gate_import) if config.gate is not None else None,
        chain=Chain(cache_dir()),
    )


def sources_of(config: Config) -> dict[str, bytes]:
    """The backend's sources by path, without what is written among them here. Raises ConfigurationError."""
    if config.overlay is not None:
        return backend_files.of_packages(config.backend_path, config.sources)
    names = (config.matrix, config.patches, config.derived, config.lanes, config.wheels)
    own = [config.backend_path / name for name in names] if config.backend_path == config.root else []
    return backend_files.read(config.backend_path, own)


def plan(
    config: Config,
    inputs: Inputs,
    chosen: Sequence[Lane],
    find: Finder,
    examined: ExaminedLanes | None = None,
) -> Update:
    """The update that lanes call for; nothing is written. Lanes that were ``examined`` and need no patch are
    left out. Raises NoMatch or CannotRewrite for a patch that no longer fits."""
    before = {patch.id: patch for patch in inputs.patches}
    inputs = replace(inputs, patches=retirement.standing(inputs.patches, inputs.matrix))
    waiting = {(p.symbol, p.upstream.first_version) for p in inputs.patches if p.status != "active"}
    stale: list[Patch] = []
    for beside, lane in _neighbours(inputs.matrix.baseline_lane, chosen):
        known = examined.answered(inputs, beside, lane) if examined is not None else None
        if known is not None:
            stale += _not_found(inputs, beside, lane, known)
            continue
        begun = inputs
        files, groups = _lacking(inputs, beside, lane, find, waiting)
        found = {(each.impact.symbol, str(each.first_version)) for group in groups for each in group}
        stale += _not_found(inputs, beside, lane, found)
        mending = [group for group in groups if group[0].rules]
        inputs = _with_patches(inputs, lane, mending, files, waiting)
        if mending and len(mending) < len(groups):
            # What these mend by the way needs no author, and more may be plain behind them.
            first, left = files, [group for group in groups if group not in mending]
            files, groups = _lacking(inputs, beside, lane, find, waiting)
            again = {group[0].impact.symbol for group in groups}
            left = [g for g in left if g[0].impact.symbol not in again and _stands(g, first, files)]
            inputs = _with_patches(inputs, lane, left, first, waiting)
        inputs = _with_patches(inputs, lane, groups, files, waiting)
        if examined is not None and inputs.patches == begun.patches:
            examined.note(begun, beside, lane, found)
        # What nobody has written for this lane is told once, not again for each lane behind it.
        waiting |= {
            (p.symbol, p.upstream.first_version) for p in inputs.patches if p.status == "needs-author"
        }
    inputs = replace(inputs, patches=retirement.standing(inputs.patches, inputs.matrix))
    listed = marked(config, inputs)
    proven = tuple(patch_proof.proven(patch, listed) for patch in inputs.patches)
    inputs = replace(inputs, matrix=listed, patches=proven)
    changed = [patch for patch in inputs.patches if before.get(patch.id) != patch]
    files = {patch_file(config, patch): _text(config, patch).encode() for patch in changed}
    files |= matrix.files(inputs.matrix, config.matrix)
    return Update(
        inputs,
        written=tuple(p for p in inputs.patches if p.id not in before and p.status == "active"),
        changes={
            path: content
            for path, content in files.items()
            if not (file := config.root / path).is_file() or file.read_bytes() != content
        },
        retired=tuple(p for p in changed if p.status == "retired"),
        revived=tuple(p for p in changed if p.id in before and before[p.id].status == "retired"),
        stale=tuple(stale),
    )


def _not_found(inputs: Inputs, beside: Lane, lane: Lane, found: Set[Told]) -> Iterator[Patch]:
    """The declined patches between two lanes for changes that were not found; merges apart, for those are no
    findings."""
    low, high = sorted((beside.version, lane.version))
    for patch in inputs.patches:
        between = low < patch.upstream.version <= high
        asked = (patch.symbol, patch.upstream.first_version) in found
        if patch.declined and not patch.merges and between and not asked:
            yield patch


def keep_edits(config: Config, inputs: Inputs) -> None:
    """Raise UsageError where generating the lanes would lose edits (`generate.keep_edits`)."""
    for lane in inputs.matrix:
        generate.keep_edits(inputs, lane, config.root / config.lanes / lane.tag)


def carry_out(config: Config, before: Inputs, update: Update) -> list[Generated]:
    """Write the files of an update, all or none, and generate the lanes. Raises EnvironmentFailure, and
    UsageError for edits made since, in folders of what was ``before``."""
    keep_edits(config, before)
    transaction(config).commit(update.changes)
    folder = config.root / config.lanes
    return [generate.generate(update.inputs, lane, folder / lane.tag) for lane in update.inputs.matrix]


def transaction(config: Config) -> atomic.Transaction:
    """Return the transaction that ``carry_out`` writes with; ``recover`` it before reading."""
    return atomic.Transaction(config.root, config.root / config.lanes / _JOURNAL)


def _neighbours(baseline: Lane, chosen: Sequence[Lane]) -> Iterator[tuple[Lane, Lane]]:
    """The chosen lanes from the baseline outwards, each behind the one before it, or the baseline."""
    newer = sorted((x for x in chosen if x.version >= baseline.version), key=lambda x: x.version)
    older = sorted((x for x in chosen if x.version < baseline.version), key=lambda x: x.version, reverse=True)
    for way in (newer, older):
        yield from pairwise([baseline, *way])


def _lacking(
    inputs: Inputs, beside: Lane, lane: Lane, find: Finder, told: Collection[Told]
) -> tuple[Mapping[str, bytes], list[list[LaneFinding]]]:
    """A lane's files, and what they lack, in the groups of one patch each."""
    with tempfile.TemporaryDirectory(prefix="syncbot-lane-") as scratch:
        folder = Path(scratch) / lane.tag
        files = generate.render(inputs, lane)
        atomic.write_folder(folder, files)
        return files, _groups(find(inputs.matrix, beside, lane, folder, told))


def _stands(group: Sequence[LaneFinding], before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bool:
    """Whether a line that findings name is still in its file."""
    places = {place for finding in group for place in finding.impact.locations}
    return any(before[p.file].splitlines()[p.line - 1] in after[p.file].splitlines() for p in places)


def _with_patches(
    inputs: Inputs,
    lane: Lane,
    groups: Sequence[Sequence[LaneFinding]],
    files: Mapping[str, bytes],
    told: Collection[Told],
) -> Inputs:
    """The inputs with a patch for each group that is not told, or answered by the same rewrites."""
    for group in groups:
        patch = _patch(inputs, lane, group)
        change = (patch.symbol, patch.upstream.first_version)
        same = [p for p in inputs.patches if (p.symbol, p.upstream.first_version) == change]
        known = any(p.rewrites == patch.rewrites or p.status == "needs-author" for p in same)
        if change in told or known:
            continue
        patch = _tried(inputs, lane, _free(patch, {p.id for p in inputs.patches}), group, files)
        inputs = replace(inputs, patches=(*inputs.patches, patch))
    return inputs


def _groups(found: Sequence[LaneFinding]) -> list[list[LaneFinding]]:
    """The findings of one patch each: of an upstream symbol and version, with rules or without. What moved
    out of a module that moved itself is one with that: the order in which both are written matters."""
    moved = {f.impact.symbol for f in found if f.rules and f.rules[0].name == "import_moved"}
    groups: dict[tuple[str, str, bool], list[LaneFinding]] = {}
    for finding in found:
        symbol = finding.impact.symbol
        around = [outer for outer in moved if symbol.startswith(f"{outer}.") and symbol in moved]
        key = (str(finding.first_version), min(around, default=symbol), bool(finding.rules))
        groups.setdefault(key, []).append(finding)
    return [sorted(group, key=lambda f: f.impact.symbol) for _, group in sorted(groups.items())]


def _patch(inputs: Inputs, lane: Lane, group: Sequence[LaneFinding]) -> Patch:
    first = group[0]
    impact = first.impact
    change = UpstreamChange(
        name=inputs.matrix.upstream,
        pr=impact.pr,
        commit=impact.commit or None,
        first_version=str(first.first_version),
    )
    rules = tuple(dict.fromkeys(rule for finding in group for rule in finding.rules))
    if len(group) > 1:
        # Those that older sources are made with are mirrored twice, to have the order of that way.
        older = lane.version < inputs.matrix.baseline_lane.version
        rules = turned([rule.mirror() for rule in rules]) if older else tuple(ordered(rules))
    return Patch(
        # A version may have a + or !, which names of files do not.
        id=f"{impact.pr or re.sub('[+!]', '-', change.first_version)}-{_slug(impact.symbol)}",
        upstream=change,
        symbol=impact.symbol,
        reason=rules[0].reason if rules else f"Of lane {lane.tag}: {impact.message}",
        status="active" if rules else "needs-author",
        rewrites=tuple(Rewrite(rule=f.rule, arguments=dict(f.arguments)) for f in map(proposals.fix, rules)),
        notes="".join(f"{note}\n" for finding in group for note in finding.notes) if rules else "",
    )


def _tried(
    inputs: Inputs, lane: Lane, patch: Patch, group: Sequence[LaneFinding], files: Mapping[str, bytes]
) -> Patch:
    """The patch, if it has rewrites and they fit the sources of its lane and of those behind it, with what is
    written for these; else the same as one that needs an author."""
    if not patch.rewrites:
        return for_author(inputs, lane, patch, group, files)
    tried = replace(inputs, patches=(*inputs.patches, patch))
    try:
        for each in _from(lane, inputs.matrix):
            generate.render(tried, each)
    except (NoMatch, CannotRewrite) as error:
        return for_author(inputs, lane, patch, group, files, str(error))
    return patch


def _from(lane: Lane, matrix: Matrix) -> list[Lane]:
    """A lane and those behind it, seen from the baseline."""
    older = lane.version < matrix.baseline_lane.version
    behind = (x for x in matrix if (x.version <= lane.version if older else x.version >= lane.version))
    return sorted(behind, key=lambda x: x.version, reverse=older)


def _free(patch: Patch, known: set[str]) -> Patch:
    """The patch under an id that no other has."""
    number, name = 2, patch.id
    while name in known:
        number, name = number + 1, f"{patch.id}-{number}"
    return patch.model_copy(update={"id": name})


def _slug(symbol: str) -> str:
    """The last two parts of a dotted name, as file names have them."""
    words = "-".join(symbol.split(".")[-2:])
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def patch_file(config: Config, patch: Patch) -> str:
    """Return the path of a patch's file below the root."""
    return f"{config.patches}/{patch.id}.yaml"


def _text(config: Config, patch: Patch) -> str:
    """The file of a patch; of one that is there, no more is changed than has to be."""
    file = config.root / patch_file(config, patch)
    return (
        retirement.revised(file.read_text(encoding="utf-8"), patch) if file.is_file() else model.dump(patch)
    )
