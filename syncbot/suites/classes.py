"""The class of each group of differences: by a rule that shows it, or by a person with a reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from syncbot.limits import document_text
from syncbot.patching import yaml_documents
from syncbot.patching.registry import Rule
from syncbot.patching.yaml_documents import Document
from syncbot.suites.case import Case, Class, Shown
from syncbot.suites.differences import Group, joined, place
from syncbot.suites.lane_sources import LaneSources
from syncbot.suites.rules import shown

CLASSES: tuple[Class, ...] = ("lane", "undecided", "pins", "environment")


class Decision(Document):
    """A person's decision about a group."""

    cause: str
    where: str = ""
    decided: Literal["lane", "pins", "environment"]
    reason: str


class Decisions(Document):
    """All that people decided."""

    differences: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class Classed:
    """A group, its class and why it is of that, and the ``rewrites`` of its tests that follow."""

    group: Group
    class_: Class
    reason: str = ""
    by_person: bool = False
    rewrites: tuple[Rule, ...] = ()


def load(file: Path) -> Decisions:
    """Return the decisions of people in a file; none without the file. Raises ConfigurationError."""
    if not file.is_file():
        return Decisions()
    return yaml_documents.parse(document_text(file), Decisions, "classes of differences", str(file))


def classed(
    groups: Sequence[Group],
    decisions: Decisions,
    release: LaneSources,
    lane: LaneSources,
    folders: Collection[str],
) -> list[Classed]:
    """Return each group with its class, the largest first; those of which a rule shows the same are one.
    What a person decided counts more than a rule."""
    known = {(each.cause, each.where): each for each in decisions.differences}
    decided: list[Classed] = []
    by_rule: dict[Shown, list[Group]] = {}
    for group in groups:
        decision = known.get((group.message, group.where))
        found = shown(Case(group, release, lane, folders)) if decision is None else None
        if found is not None:
            by_rule.setdefault(found, []).append(group)
        elif decision is not None:
            decided.append(Classed(group, decision.decided, decision.reason, by_person=True))
        else:
            decided.append(Classed(group, "undecided"))
    ruled = (
        Classed(joined(same), told.class_, told.reason, rewrites=told.rewrites)
        for told, same in by_rule.items()
    )
    return _largest_first([*decided, *ruled])


def _largest_first(found: Iterable[Classed]) -> list[Classed]:
    return sorted(found, key=lambda each: place(each.group))


def unused(groups: Sequence[Group], decisions: Decisions) -> list[Decision]:
    """Return the decisions about groups that no longer exist."""
    there = {(group.message, group.where) for group in groups}
    return [each for each in decisions.differences if (each.cause, each.where) not in there]


def counted(found: Sequence[Classed]) -> dict[Class, int]:
    """How many differences there are of each class."""
    counts: dict[Class, int] = {}
    for class_ in CLASSES:
        number = sum(len(each.group.differences) for each in found if each.class_ == class_)
        if number:
            counts[class_] = number
    return counts
