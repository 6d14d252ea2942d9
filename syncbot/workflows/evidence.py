"""Evidence written into the matrix, and what follows from it into the patch files."""

from __future__ import annotations

import hashlib
import os
from contextlib import AbstractContextManager
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.config import Config
from syncbot.lanes import matrix as matrices
from syncbot.lanes import patch_proof, plugin_matrix
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.generate import Generated
from syncbot.patching import model
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.process_lock import held
from syncbot.workflows.lane_checks import LaneCheck


def record(config: Config, result: LaneCheck, made: Generated) -> None:
    """Write one piece of evidence at once, so that an interrupted run keeps what it found. The matrix is read
    again: it may have been edited, or written by another process, while the check ran."""
    file = config.root / config.matrix
    with _writing(file):
        matrix = matrices.load(file)
        current = matrix.lane(result.lane.tag)
        evidence = latest(current.checks.get(result.check), result.evidence)
        facts = {"sources": made.digest, "patches": made.patches}
        current = current.model_copy(update={**facts, "checks": {**current.checks, result.check: evidence}})
        updated = matrix.with_lane(current.marked(result.present))
        if updated != matrix:
            matrices.save(updated, file)


def record_release(file: Path, result: LaneCheck) -> None:
    """Write what a check said of a plugin's release into the matrix of its releases, at once; a check that
    was not decided says nothing against what was known."""
    with _writing(file):
        matrix = plugin_matrix.load(file)
        if result.evidence.status == "unknown" and result.check in matrix.release(result.lane.tag).checks:
            return
        updated = matrix.with_evidence(result.lane.tag, result.check, result.evidence, result.present)
        if updated != matrix:
            plugin_matrix.save(updated, file)


def latest(before: Evidence | None, evidence: Evidence) -> Evidence:
    """The new evidence, or the old one if it says the same of the same sources: its date then stands. A check
    that was not decided says nothing against what was known."""
    if before is not None and evidence.status == "unknown":
        return before
    if before is not None and before.says_the_same(evidence):
        return before
    return evidence


def record_proof(config: Config) -> None:
    """Write into the patch files which checks prove them, from the matrix as it is now."""
    with _writing(config.root / config.matrix):
        folder = config.root / config.patches
        changes = patch_proof.changes(model.load(folder), matrices.load(config.root / config.matrix), folder)
        for path, content in changes.items():
            write_file(path, content)


def _writing(file: Path) -> AbstractContextManager[int]:
    """One process at a time writes evidence into a matrix and what follows from it."""
    lock = hashlib.sha256(os.fsencode(file.resolve())).hexdigest()[:16]
    return held(cache_dir() / "locks" / lock)
