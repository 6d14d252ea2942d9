"""The matrix and copies of it, in which other machines wrote what they verified, put together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from syncbot.config import Config
from syncbot.lanes import matrix as matrices
from syncbot.lanes.matrix import Matrix


def merged_matrix(config: Config, copies: Iterable[Path]) -> Matrix:
    """The matrix with what is newer in copies of it, which is written too. Raises ConfigurationError."""
    file = config.root / config.matrix
    matrix = merged = matrices.load(file)
    for copy in copies:
        merged = merged.with_evidence_of(matrices.load(copy))
    if merged != matrix:
        matrices.save(merged, file)
    return merged
