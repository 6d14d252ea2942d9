"""Lanes that were examined and lack nothing: the same question again needs no analysis."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from syncbot.config import Config
from syncbot.errors import EnvironmentFailure
from syncbot.impact.caching.analysis_cache import analysis_code_digest
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane
from syncbot.sealed_values import keep, recall
from syncbot.upstream.git_repository import GitRepository


@dataclass(frozen=True, slots=True)
class ExaminedLanes:
    """Remembers lanes by all that decides what they lack and the lane beside them does not: inputs, upstream
    commits, configuration, code."""

    config: Config
    repository: GitRepository
    cache: Path

    def lacks_nothing(self, inputs: Inputs, beside: Lane, lane: Lane) -> bool:
        """Whether that lane lacked nothing when it was examined last."""
        return recall(self.cache, self._file(inputs, beside, lane)) is not None

    def note(self, inputs: Inputs, beside: Lane, lane: Lane) -> None:
        """Remember that the lane lacks nothing. A cache that cannot be written is no error."""
        with suppress(EnvironmentFailure):
            keep(self.cache, self._file(inputs, beside, lane), b"")

    def _file(self, inputs: Inputs, beside: Lane, lane: Lane) -> Path:
        ends = [self.repository.resolve(str(each.version)) for each in (lane, beside)]
        facts = [inputs.digest(lane), *ends, analysis_code_digest(), self.config.model_dump_json()]
        return self.cache / "examined_lanes" / hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]
