"""Equal exceptions folded into one failure, and causes separated from what follows from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from syncbot.triage.kinds import understood
from syncbot.triage.model import FailedTest, Failure, Nature, Raised, Trace

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
# The first of two exceptions that a handler often looks for on purpose; what came after it is the failure.
_LOOKED_FOR = frozenset(
    {"KeyError", "StopIteration", "Empty", "IndexError", "FileNotFoundError", "TimeoutError"}
)
_GROUPS = re.compile(r"(?s).*\(\d+ sub-exceptions?\).*")
_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|(?<=pid=)\d+|\b\d{5,}\b|(?<=/tmp/)[\w.-]+")
_REPR = re.compile(
    r"""(?P<name>[A-Za-z_][\w.]*)\((?P<quote>["'])(?P<message>.*?)(?:(?P=quote),?\).*|\.\.\.)"""
)
_CUT = 15
_MOST = 5_000


@dataclass(frozen=True, slots=True)
class Reading:
    """Failures in their order, causes and what follows, and tests that failed for no known reason."""

    failures: tuple[Failure, ...]
    unexplained: tuple[FailedTest, ...]


@dataclass(slots=True)
class _Group:
    first: Trace
    error: Raised
    count: int = 0
    processes: dict[str, None] = field(default_factory=dict)
    tests: dict[str, None] = field(default_factory=dict)


_Key = tuple[str, str, tuple[str, int] | None]


def folded(events: Iterable[Trace | FailedTest]) -> Reading:
    """All that logs tell, folded."""
    groups: dict[_Key, _Group] = {}
    summary: list[FailedTest] = []
    for event in events:
        if isinstance(event, FailedTest):
            summary.append(event)
        elif event.raised:
            _collect(groups, event)
    _merge_placeless(groups)
    unexplained = list(_matched(groups, summary))
    failures = [_failure(group) for group in groups.values()]
    return Reading(tuple(_with_causes(failures)), tuple(unexplained))


def causes(reading: Reading) -> list[Failure]:
    """The failures that follow from no other."""
    return [failure for failure in reading.failures if failure.follows is None]


def cause(chain: tuple[Raised, ...]) -> Raised:
    """The exception of a chain that the others follow from."""
    best = chain[0]
    for error in chain[1:]:
        handled = error.link == "context" and best.name in _LOOKED_FOR and not _is_wrapper(error)
        better = _weight(error) > _weight(best)
        if error.link == "inner" or (error.link == "context" and better) or handled or _is_wrapper(best):
            best = error
    return best


def _weight(error: Raised) -> int:
    if _is_wrapper(error):
        return 0
    return 1 if understood(error) is None else 2


def _is_wrapper(error: Raised) -> bool:
    return bool(
        error.name in _BEREFT
        or _GROUPS.fullmatch(error.message)
        or error.name.endswith("RemoteTraceback")
        or _ELSEWHERE.search(error.message)
    )


def _collect(groups: dict[_Key, _Group], trace: Trace, test: str = "") -> None:
    error = cause(trace.raised)
    key = _key(error)
    group = groups.get(key)
    if group is None:
        if len(groups) >= _MOST:
            return
        group = groups[key] = _Group(trace, error)
    group.count += 1
    if trace.process:
        group.processes[trace.process] = None
    if trace.test or test:
        group.tests[trace.test or test] = None
    if len(error.frames) > len(group.error.frames):
        group.error, group.first = error, replace(trace, source=group.first.source, line=group.first.line)


def _key(error: Raised) -> _Key:
    place = None
    if error.frames:
        last = error.frames[-1]
        place = (last.path.replace("\\", "/").rpartition("/")[2], last.line)
    return error.name, _VARIABLE.sub("#", error.message), place


def _merge_placeless(groups: dict[_Key, _Group]) -> None:
    """An error printed without frames is the same as one with them."""
    placed: dict[tuple[str, str], _Key] = {}
    for key in groups:
        if key[2] is not None:
            placed.setdefault(key[:2], key)
    for key in [key for key in groups if key[2] is None and key[:2] in placed]:
        lone, group = groups.pop(key), groups[placed[key[:2]]]
        group.count += lone.count
        group.processes.update(lone.processes)
        group.tests.update(lone.tests)


def _matched(groups: dict[_Key, _Group], summary: Iterable[FailedTest]) -> Iterator[FailedTest]:
    """Give the tests of the summary to their failures; those that have none are yielded."""
    by_entry: dict[str, list[_Group]] = {}
    seen: set[str] = set()
    for group in groups.values():
        for test in group.tests:
            by_entry.setdefault(test, []).append(group)
    for failed in summary:
        known = by_entry.get(_entry_name(failed.test)) or by_entry.get(failed.test)
        if known:
            for group in known:
                group.tests.pop(_entry_name(failed.test), None)
                group.tests[failed.test] = None
            continue
        if not failed.error:
            if failed.test not in seen:
                yield failed
            seen.add(failed.test)
            continue
        error = _summary_error(failed.error)
        same = next((g for g in groups.values() if _is_same(g.error, error)), None)
        if same is not None:
            same.tests[failed.test] = None
        else:
            _collect(groups, Trace((error,), failed.source, failed.line, "", failed.test))


def _entry_name(test: str) -> str:
    """The heading of pytest's entry for a test of the summary."""
    path, _, name = test.partition("::")
    return name.replace("::", ".") or path


def _summary_error(text: str) -> Raised:
    if (shown := _REPR.fullmatch(text)) is not None:
        # A single exception of a group is shown as code.
        cut = "..." if text.endswith("...") else ""
        return Raised(shown["name"], f"{shown['message']}{cut}")
    name, colon, message = text.partition(": ")
    if colon and all(part.isidentifier() for part in name.split(".")):
        return Raised(name, message)
    if all(part.isidentifier() for part in text.split(".")):
        return Raised(text, "")
    return Raised("AssertionError", text)


def _is_same(error: Raised, cut: Raised) -> bool:
    """Whether a summary's error, whose text may be cut off, is this one."""
    text, whole = cut.text.partition("\n")[0], error.text.partition("\n")[0]
    plain = f"{error.name}: {error.message}".partition("\n")[0]
    if text.endswith("...") and len(text) > _CUT:
        return whole.startswith(text[:-3]) or plain.startswith(text[:-3])
    return text in (whole, plain)


def _failure(group: _Group) -> Failure:
    return Failure(
        group.error, understood(group.error), group.count, group.first.source, group.first.line,
        tuple(group.processes), tuple(group.tests), group.first.raised,
    )  # fmt: skip


def _with_causes(failures: list[Failure]) -> Iterator[Failure]:
    leading = [f for f in failures if not _is_wrapper(f.error)]
    for index, failure in enumerate(failures):
        before = [f for f in failures[:index] if f in leading]
        yield replace(failure, follows=_followed(failure, before, leading))


def _followed(failure: Failure, before: list[Failure], leading: list[Failure]) -> str | None:
    """The text of the failure that this one follows from; empty where the logs do not have it."""
    others = [f for f in leading if f is not failure]
    if _ELSEWHERE.search(failure.error.message) or _GROUPS.fullmatch(failure.error.message):
        nearest = before[-1:] or others[:1]
        return nearest[0].text if nearest else ""
    for other in others:
        longer = len(failure.error.message) > len(other.error.message)
        if _in_chain(failure, other) or (_quotes(failure, other) and (longer or other in before)):
            return other.text
    interface = failure.symptom is not None and failure.symptom.nature is Nature.INTERFACE
    return _beside(failure, others) if failure.error.name in _BEREFT and not interface else None


def _in_chain(failure: Failure, other: Failure) -> bool:
    """Whether another failure's chain of exceptions has this one, not as its last."""
    told = (failure.error.name, failure.error.message)
    return any(raised is not other.error and (raised.name, raised.message) == told for raised in other.chain)


def _beside(failure: Failure, others: list[Failure]) -> str | None:
    """The text of the first failure of the same tests, of the same log if there is one."""
    tests = set(failure.tests)
    same = [f for f in others if tests & {*f.tests}] if tests else others
    near = [f for f in same if f.source == failure.source] or same
    return near[0].text if near else None


def _quotes(failure: Failure, other: Failure) -> bool:
    """Whether a failure repeats the words of another, as what waits for a process does."""
    words = other.error.message.partition("\n")[0]
    same_type = failure.error.name == other.error.name
    return len(words) >= _CUT and words in failure.error.message and not (same_type and failure.error.frames)
