"""Values that are used as they cannot be: called, unpacked, computed with."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind, matched
from syncbot.triage.model import Nature, Raised, Symptom

# Since 3.12 a guess follows where a module has a member of its own name.
_CALL = re.compile(r"'(?P<owner>[\w.]+)' object is not callable(?:\. Did you mean: '.+'\?)?")
_OTHER = re.compile(
    r"'(?P<owner>[\w.]+)' object (?:is not (?:subscriptable|iterable|an iterator|async iterable)"
    r"|does not support (?:item assignment|the (?:asynchronous )?context manager protocol))"
    r"|object (?P<awaited>[\w.]+) can't be used in 'await' expression"
)
# From 3.14 the number that was got is told in the first form too.
_UNPACKED = re.compile(
    r"too many values to unpack \(expected \d+(?:, got \d+)?\)"
    r"|not enough values to unpack \(expected (?:at least )?\d+, got \d+\)"
    r"|cannot unpack non-iterable [\w.]+ object"
)
_TENSOR = re.compile(r"Can't unpack a tensor of \d+ rows into a tuple of \d+ elements?\.?")
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
def not_callable(error: Raised) -> Symptom | None:
    """The class of the object that is used as it cannot be; ``code`` tells the rest."""
    if (found := matched(error, ("TypeError",), _CALL)) is not None:
        return Symptom("not-callable", Nature.INTERFACE, found["owner"])
    if (found := matched(error, ("TypeError",), _OTHER)) is not None:
        return Symptom("wrong-use", Nature.INTERFACE, found["owner"] or found["awaited"])
    return None


@kind
def unpacking(error: Raised) -> Symptom | None:
    """No names: the source line shows which call's result it was."""
    found = matched(error, ("ValueError", "TypeError"), _UNPACKED) or matched(error, (error.name,), _TENSOR)
    return Symptom("unpacking", Nature.INTERFACE) if found is not None else None


@kind
def shape_mismatch(error: Raised) -> Symptom | None:
    """Nothing but that shapes of tensors do not go together: shapes have no names."""
    known = error.name in ("RuntimeError", "ValueError", "AssertionError")
    return Symptom("shape-mismatch", Nature.BEHAVIOUR) if known and _SHAPES.search(error.message) else None
