"""Which failures follow from others: those that say so, that repeat another's words, or that a process raised
when another had gone. Every look is into an index, so that many failures take as long each as few."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from syncbot.triage.model import Failure, Nature, Raised

# What says that the cause was printed elsewhere.
_ELSEWHERE = re.compile(
    r"\b(?:see|check|consult)\b.{0,60}\b(?:above|root cause|stack ?trace|traceback)\b"
    r"|\bfor the root cause\b|\broot cause (?:is )?above\b"
    r"|\bexception in a (?:background|child|sub) ?process\b"
    r"|\bsee .{0,20}\blogs?\b for\b",
    re.IGNORECASE,
)
# What a process raises when another one has gone.
_BEREFT = frozenset(
    {"EOFError", "BrokenPipeError", "ConnectionResetError", "ConnectionAbortedError", "CancelledError",
     "KeyboardInterrupt", "SystemExit", "CalledProcessError", "ChildFailedError", "ProcessExitedException",
     "ProcessRaisedException", "GeneratorExit", "BrokenProcessPool", "RemoteError"}
)  # fmt: skip
_GROUPS = re.compile(r"(?s).*\(\d+ sub-exceptions?\).*")
# Words that are shorter are no quotation.
_CUT = 15
# Failures with the same words that are kept, of one type and in all; looks that one message is worth.
_ALIKE, _FEW, _LOOKS = 2, 8, 500


def is_wrapper(error: Raised) -> bool:
    """Whether an exception only tells of another one."""
    return bool(
        error.name in _BEREFT
        or _GROUPS.fullmatch(error.message)
        or error.name.endswith("RemoteTraceback")
        or _ELSEWHERE.search(error.message)
    )


def followed(failures: Sequence[Failure]) -> Iterator[str | None]:
    """For each failure the text of the one that it follows from: None for a cause, empty where the logs lack
    it."""
    leading = _Leading(failures)
    last = None
    for index, failure in enumerate(failures):
        told = failure.error.message
        if _ELSEWHERE.search(told) or _GROUPS.fullmatch(told):
            found = last if last is not None else leading.first
            yield failures[found].text if found is not None else ""
            continue
        if last is not None and _is_remark(failure, failures[last]):
            yield failures[last].text
            continue
        found = leading.retold(index)
        interface = failure.symptom is not None and failure.symptom.nature is Nature.INTERFACE
        if found is None and failure.error.name in _BEREFT and not interface:
            found = leading.beside(failure)
        yield failures[found].text if found is not None else None
        if leading.has(index):
            last = index


def _is_remark(failure: Failure, last: Failure) -> bool:
    """Whether a message without an exception only adds to the failure before it: devices report their codes
    after what Python raised, and most messages come several times in other words."""
    if failure.error.type or failure.symptom is None or failure.symptom.nature is not Nature.ENVIRONMENT:
        return False
    same = last.symptom is not None and last.symptom.kind == failure.symptom.kind
    return same or failure.symptom.kind.startswith("device-")


@dataclass(frozen=True, slots=True)
class _Quotable:
    """A failure whose words others may repeat."""

    index: int
    name: str
    size: int


@dataclass
class _Leading:
    """The failures that are no wrappers, found by what others may say of them; the first in the logs wins."""

    failures: Sequence[Failure]
    _indexes: dict[int, None] = field(default_factory=dict)
    _chained: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _words: dict[str, list[_Quotable]] = field(default_factory=dict)
    _lengths: dict[str, dict[int, None]] = field(default_factory=dict)
    _nearby: dict[tuple[str | None, str | None], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for index, failure in enumerate(self.failures):
            if is_wrapper(failure.error):
                continue
            self._indexes[index] = None
            for raised in failure.chain:
                known = self._chained.setdefault((raised.name, raised.message), [])
                if raised is not failure.error and len(known) < _ALIKE and index not in known:
                    known.append(index)
            for test in (None, *failure.tests):
                self._nearby.setdefault((test, failure.source), index)
                self._nearby.setdefault((test, None), index)
            self._remember_words(index, failure.error)

    def _remember_words(self, index: int, error: Raised) -> None:
        words = error.message.partition("\n")[0]
        if len(words) < _CUT:
            return
        known = self._words.setdefault(words, [])
        self._lengths.setdefault(words[:_CUT], {})[len(words)] = None
        if len(known) < _FEW and sum(other.name == error.name for other in known) < _ALIKE:
            known.append(_Quotable(index, error.name, len(error.message)))

    @property
    def first(self) -> int | None:
        """The first of them."""
        return next(iter(self._indexes), None)

    def has(self, index: int) -> bool:
        """Whether a failure is one of them."""
        return index in self._indexes

    def retold(self, index: int) -> int | None:
        """The first other failure in whose chain this one stands, not as its last, or whose words it repeats,
        as what waits for a process does."""
        error = self.failures[index].error
        chained = self._chained.get((error.name, error.message), ())
        quoted = (q.index for q in self._quoted(error.message) if _quotes(index, error, q))
        return min((found for found in (*chained, *quoted) if found != index), default=None)

    def _quoted(self, message: str) -> Iterator[_Quotable]:
        looks = 0
        for at in range(len(message) - _CUT + 1):
            for length in self._lengths.get(message[at : at + _CUT], ()):
                looks += 1
                if looks > _LOOKS:
                    return
                yield from self._words.get(message[at : at + length], ())

    def beside(self, failure: Failure) -> int | None:
        """The first failure of the same tests, of the same log if there is one."""
        tests = failure.tests or (None,)
        for source in (failure.source, None):
            found = [self._nearby[test, source] for test in tests if (test, source) in self._nearby]
            if found:
                return min(found)
        return None


def _quotes(index: int, error: Raised, other: _Quotable) -> bool:
    longer = len(error.message) > other.size
    return (longer or other.index < index) and not (other.name == error.name and error.frames)
