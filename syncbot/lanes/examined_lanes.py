"""Lanes that were examined and need no patch: the same question again needs no analysis."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from syncbot.config import Config
from syncbot.errors import EnvironmentFailure
from syncbot.impact.caching.analysis_cache import analysis_code_digest
from syncbot.lanes.findings import Told
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane
from syncbot.sealed_values import keep, recall
from syncbot.upstream.git_repository import GitRepository


class _Answer(msgspec.Struct):
    """The changes that a lane lacks and patches answer, and a digest of the patches and lanes with which that
    is so."""

    circumstances: str
    changes: list[Told]


@dataclass(frozen=True, slots=True)
class ExaminedLanes:
    """Remembers lanes by all that decides what they lack and the lane beside them does not: inputs, upstream
    commits, configuration, code."""

    config: Config
    repository: GitRepository
    cache: Path

    def answered(self, inputs: Inputs, beside: Lane, lane: Lane) -> Set[Told] | None:
        """The changes that the lane lacked when it was examined last, if patches answer all of them."""
        known = recall(self.cache, self._file(inputs, beside, lane))
        if not known:
            return None if known is None else frozenset()
        try:
            answer = msgspec.msgpack.decode(known, type=_Answer)
        except msgspec.MsgspecError:
            return None
        same = answer.circumstances == self._circumstances(inputs, beside, lane)
        return frozenset(answer.changes) if same else None

    def note(self, inputs: Inputs, beside: Lane, lane: Lane, changes: Collection[Told]) -> None:
        """Remember that patches answer these changes, and that the lane lacks nothing else. A cache that
        cannot be written is no error."""
        value = b""
        if changes:
            answer = _Answer(self._circumstances(inputs, beside, lane), sorted(changes))
            value = msgspec.msgpack.encode(answer)
        with suppress(EnvironmentFailure):
            keep(self.cache, self._file(inputs, beside, lane), value)

    def _file(self, inputs: Inputs, beside: Lane, lane: Lane) -> Path:
        ends = [self.repository.resolve(str(each.version)) for each in (lane, beside)]
        facts = [inputs.digest(lane), *ends, analysis_code_digest(), self.config.model_dump_json()]
        return self.cache / "examined_lanes" / hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]

    def _circumstances(self, inputs: Inputs, beside: Lane, lane: Lane) -> str:
        """A digest of what decides whether a change is answered: all patches, also those that no lane is made
        with, and the lanes between both, of which one may be the first with the change."""
        low, high = sorted((beside.version, lane.version))
        between = [str(each.version) for each in inputs.matrix if low < each.version < high]
        facts = [fact for name in between for fact in (name, self.repository.resolve(name))]
        facts += [text for patch in inputs.patches for text in patch.sources()]
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()
