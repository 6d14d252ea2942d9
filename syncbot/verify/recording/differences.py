"""Finds the differences between two runs of a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from syncbot.verify.recording.recorded_run import Call, Kinds, Recording


class What(StrEnum):
    """The kinds of differences, in the order in which they are reported."""

    NEVER_CALLED = "never-called"
    OPERATOR_GONE = "operator-gone"
    ARGUMENT = "argument"
    INPUT = "input"
    COUNT = "count"
    CALLERS = "callers"
    NEWLY_CALLED = "newly-called"
    OPERATOR_NEW = "operator-new"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. ``name`` is the plugin's function or the operator, ``part`` a parameter of it;
    ``before`` and ``after`` are the callers, kinds or counts that only one run has."""

    what: What
    name: str
    part: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def __str__(self) -> str:
        before, after = ", ".join(self.before), ", ".join(self.after)
        match self.what:
            case What.NEVER_CALLED:
                return f"{self.name} is called no more (before: by {before})"
            case What.NEWLY_CALLED:
                return f"{self.name} is called now (by {after})"
            case What.OPERATOR_GONE:
                return f"the operator {self.name} never runs now"
            case What.OPERATOR_NEW:
                return f"the operator {self.name} runs now"
            case What.COUNT:
                return f"the operator {self.name} runs {after} times a step; before: {before}"
        subject = f"{self.name} is called" if self.what is What.CALLERS else f"{self.name}: {self.part} is"
        by = "by " if self.what is What.CALLERS else ""
        if not self.before:
            return f"{subject} {by}{after} now, too"
        if not self.after:
            return f"{subject} {by}{before} no more"
        return f"{subject} {by}{after} now; before: {by}{before}"


def differences(old: Recording, new: Recording) -> tuple[Difference, ...]:
    """Return the differences between two runs, sorted: things that no longer happen come first."""
    found = [*_called(old, new), *_operators(old, new), *_counts(old.counts, new.counts)]
    order = list(What)
    return tuple(sorted(found, key=lambda each: (order.index(each.what), each.name, each.part)))


def _called(old: Recording, new: Recording) -> Iterator[Difference]:
    for name in old.called.keys() | new.called.keys():
        before, after = old.called.get(name), new.called.get(name)
        if before is None or after is None:
            # What the plugin calls itself now still runs.
            gone = What.NEVER_CALLED if after is None and name not in new.ran else What.CALLERS
            came = What.NEWLY_CALLED if before is None and name not in old.ran else What.CALLERS
            yield Difference(
                gone if after is None else came,
                name,
                before=_sorted(before.callers if before is not None else ()),
                after=_sorted(after.callers if after is not None else ()),
            )
            continue
        if before.callers != after.callers:
            lost, gained = before.callers - after.callers, after.callers - before.callers
            yield Difference(What.CALLERS, name, before=_sorted(lost), after=_sorted(gained))
        yield from _arguments(What.ARGUMENT, name, before, after)


def _operators(old: Recording, new: Recording) -> Iterator[Difference]:
    for name in old.operators.keys() | new.operators.keys():
        before, after = old.operators.get(name), new.operators.get(name)
        if before is None or after is None:
            yield Difference(What.OPERATOR_GONE if after is None else What.OPERATOR_NEW, name)
        else:
            yield from _arguments(What.INPUT, name, before, after)


def _arguments(what: What, name: str, old: Call, new: Call) -> Iterator[Difference]:
    for parameter in old.arguments.keys() | new.arguments.keys():
        before, after = (call.arguments.get(parameter, Kinds()) for call in (old, new))
        if before != after:
            yield Difference(what, name, parameter, _sorted(before - after), _sorted(after - before))


def _counts(old: Mapping[str, int], new: Mapping[str, int]) -> Iterator[Difference]:
    for name in old.keys() & new.keys():
        if old[name] != new[name]:
            yield Difference(What.COUNT, name, before=(str(old[name]),), after=(str(new[name]),))


def _sorted(names: object) -> tuple[str, ...]:
    assert isinstance(names, frozenset | tuple)
    return tuple(sorted(names))
