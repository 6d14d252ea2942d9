"""The runs of a search, kept so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from syncbot.bisect.search import Outcome, Verdict
from syncbot.sealed_values import keep, recall


@dataclass(frozen=True, slots=True)
class Run:
    """One run; ``said`` is its last line, ``code`` None where the setup failed or time ran out."""

    commit: str
    verdict: Verdict
    mark: str
    code: int | None
    seconds: float
    said: str
    log: str

    @property
    def outcome(self) -> Outcome:
        """The outcome that the search looks at."""
        return Outcome(self.verdict, self.mark)


class _Kept(msgspec.Struct, frozen=True):
    question: tuple[str, ...]
    runs: tuple[Run, ...]


def key(question: Sequence[str]) -> str:
    """A name for all that decides what a search asks: ends, command, backend …"""
    return hashlib.sha256(os.fsencode("\0".join(question))).hexdigest()[:16]


class State:
    """The runs of one search in one file. A file that cannot be read counts as none."""

    def __init__(self, file: Path, question: Sequence[str], restart: bool) -> None:
        self._file = file
        self._question = tuple(map(ascii, question))
        self._runs: dict[str, Run] = {}
        self.before = 0
        if not restart:
            known = recall(file.parent, file)
            kept = msgspec.json.decode(known, type=_Kept) if known is not None else None
            if kept is not None and kept.question == self._question:
                self._runs = {run.commit: run for run in kept.runs}
                self.before = len(self._runs)

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs, in the order in which they were made."""
        return tuple(self._runs.values())

    def of(self, commit: str) -> Run | None:
        """The run of a commit, None where it was not run yet."""
        return self._runs.get(commit)

    def add(self, run: Run) -> None:
        """Keep one more run. Raises EnvironmentFailure where the file cannot be written."""
        self._runs[run.commit] = run
        keep(self._file.parent, self._file, msgspec.json.encode(_Kept(self._question, self.runs)))
