"""The proof of a patch: the checks that pass on every lane that needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from syncbot.lanes import retirement
from syncbot.lanes.matrix import Matrix
from syncbot.patching.model import Patch


def proven(patch: Patch, matrix: Matrix) -> Patch:
    """Return the patch with the checks that pass on each lane that needs it; a retired one stays as it is."""
    if patch.status == "retired":
        return patch
    lanes = [matrix.lane(tag) for tag in retirement.users(patch, matrix)]
    possible = matrix.checks() if lanes and patch.status == "active" else []
    checks = (check for check in possible if all(lane.shown(check) == "pass" for lane in lanes))
    return patch.model_copy(update={"proven_by": tuple(checks)})


def changes(patches: Iterable[Patch], matrix: Matrix, folder: Path) -> Mapping[Path, bytes]:
    """Return the new contents of those patch files in a folder whose proof has changed."""
    found = {}
    for patch in patches:
        file, fresh = folder / f"{patch.id}.yaml", proven(patch, matrix)
        if fresh != patch:
            found[file] = retirement.revised(file.read_text(encoding="utf-8"), fresh).encode()
    return found
