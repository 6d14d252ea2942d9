"""Tensors have shapes that do not go together."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_SHAPES = re.compile(
    r"mat1 and mat2 shapes cannot be multiplied|size mismatch[,:]|size mismatch for "
    r"|The size of tensor \w+ \(\d+\) must match the size of tensor"
    r"|shape '.{1,200}' is invalid for input of size|Sizes of tensors must match"
    r"|Expected size for first two dimensions|The expanded size of the tensor|split_with_sizes expects"
    r"|could not broadcast input array|operands could not be broadcast together"
    r"|output with shape .{1,100} doesn't match the broadcast shape"
    r"|Attempted to load weight .{1,100} into parameter"
    r"|Expected .{0,80}shape"
)


@kind
def shape_mismatch(error: Raised) -> Symptom | None:
    """Nothing but that it is one: shapes have no names."""
    if error.name not in ("RuntimeError", "ValueError", "AssertionError") or not _SHAPES.search(
        error.message
    ):
        return None
    return Symptom("shape-mismatch", Nature.BEHAVIOUR)
