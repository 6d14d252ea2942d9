"""Moving the baseline: the backend's sources become those of another lane; all lanes stay the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import tomlkit
from tomlkit.items import Table

from syncbot import atomic
from syncbot.config import Config
from syncbot.lanes import generate, matrix, update
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.generate import Generated, Inputs
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.lanes.update import Finder, Update
from syncbot.patching.apply import apply_steps
from syncbot.patching.model import Patch


@dataclass(frozen=True, slots=True)
class Move:
    """A move of the baseline, not carried out yet, from ``before``. ``waiting`` patches need an author;
    ``rewritten`` are the backend's files that change, ``different`` by lane those generated otherwise."""

    before: Inputs
    update: Update
    waiting: tuple[Patch, ...]
    rewritten: tuple[str, ...]
    different: Mapping[str, Sequence[str]]

    @property
    def matrix(self) -> Matrix:
        """The matrix after the move."""
        return self.update.inputs.matrix

    def with_evidence(self, config: Config, tag: str, check: str, evidence: Evidence) -> Move:
        """Return the move with what a check of a lane said after it."""
        after = self.matrix.with_evidence(tag, check, evidence)
        inputs = replace(self.update.inputs, matrix=after)
        changes = {**self.update.changes, **matrix.files(after, config.matrix)}
        return replace(self, update=replace(self.update, inputs=inputs, changes=changes))


def plan(config: Config, inputs: Inputs, target: Lane, find: Finder) -> Move:
    """Return the move of the baseline to another lane; nothing is written. Raises as `update.plan`."""
    prepared = update.plan(config, inputs, [target], find)
    ahead = prepared.inputs
    known = {patch.id for patch in inputs.patches}
    new = tuple(patch for patch in ahead.patches if patch.id not in known)
    files = moved_sources(ahead, target)
    behind = replace(
        inputs,
        files=files,
        matrix=inputs.matrix.model_copy(update={"baseline": target.tag}),
        # As they are on disk and the new ones, so that the update is one against the disk.
        patches=(*inputs.patches, *new),
    )
    planned = update.plan(config, behind, [], find)
    rewritten = tuple(path for path, content in files.items() if inputs.files[path] != content)
    top = config.backend_path.relative_to(config.root)
    fresh = [update.patch_file(config, patch) for patch in new]
    changes = {
        **{path: prepared.changes[path] for path in fresh},
        **planned.changes,
        **{(top / path).as_posix(): files[path] for path in rewritten},
    }
    return Move(
        before=inputs,
        update=replace(planned, written=prepared.written, changes=changes),
        waiting=tuple(p for p in ahead.patches if p.status == "needs-author" and target.tag in p.lanes),
        rewritten=rewritten,
        different=_different(ahead, planned.inputs),
    )


def carry_out(config: Config, move: Move) -> list[Generated]:
    """Write a move's files and generate the lanes, or leave all as it was. Raises what went wrong."""
    folder = config.root / config.lanes
    there = [lane for lane in move.before.matrix if (folder / lane.tag).is_dir()]
    files = {path: config.root / path for path in move.update.changes}
    before = {path: file.read_bytes() if file.is_file() else None for path, file in files.items()}
    try:
        return update.carry_out(config, move.before, move.update)
    except BaseException:
        update.transaction(config).commit(before)
        for lane in move.before.matrix:
            if lane in there:
                generate.generate(move.before, lane, folder / lane.tag)
            else:
                atomic.remove(folder / lane.tag)
        raise


def moved_sources(inputs: Inputs, target: Lane) -> dict[str, bytes]:
    """The backend's files for another lane: patched, with the new baseline's facts and version."""
    old = inputs.matrix.baseline_lane
    texts = {path: raw.decode() for path, raw in inputs.files.items() if path.endswith(".py")}
    texts = apply_steps(texts, inputs.steps(target))
    told = generate.facts_path(inputs, inputs.package) if inputs.package is not None else None
    if told in texts:
        said = dict(zip(generate.facts(inputs, old), generate.facts(inputs, target), strict=True))
        lines = texts[told].splitlines(keepends=True)
        texts[told] = "".join(
            line.replace(line.strip(), said.get(line.strip(), line.strip())) for line in lines
        )
    files = {**inputs.files, **{path: text.encode() for path, text in texts.items()}}
    files["pyproject.toml"] = _project(files["pyproject.toml"].decode(), old, target).encode()
    return files


def _project(text: str, old: Lane, new: Lane) -> str:
    document = tomlkit.parse(text)
    project = document.get("project")
    if isinstance(project, Table) and project.get("version") == old.wheel:
        project["version"] = new.wheel
    return tomlkit.dumps(document)


def _different(before: Inputs, after: Inputs) -> dict[str, list[str]]:
    """The files that each lane has otherwise than before; lanes without one are left out."""
    found = {}
    for lane in before.matrix:
        old, new = generate.render(before, lane), generate.render(after, lane)
        if paths := [path for path in old if old[path] != new.get(path)]:
            found[lane.tag] = paths
    return found
