"""Rules for what a test made in the place of something real: it lacks a member that the real one has."""

from __future__ import annotations

import re

from syncbot.api.model import Attribute
from syncbot.suites.case import Case, Shown
from syncbot.suites.lane_sources import LaneSources
from syncbot.verify.suite.outcomes import Asked, Frame

_NATURES = {
    "namespace": "a SimpleNamespace of the test",
    "mock": "a mock of the test",
    "test": "an object of a class of the test",
}


def lacking_member(case: Case) -> Shown | None:
    """Return ``pins`` where a stand-in lacks a member that the real class has, ``lane`` where the plugin asks
    for a member that the real class lacks or upstream no longer sets; else None."""
    asked, frame = case.cause.asked, case.frame
    if case.kind != "AttributeError" or asked is None or frame is None:
        return None
    if asked.nature == "module" or not case.is_known(frame):
        return None
    lost = _no_longer_set(case, frame, asked) if case.is_of_plugin(frame) else None
    if lost is not None:
        return Shown("lane", f"{frame.file} asks for {lost}, which upstream sets no more")
    real = _real(case, frame, asked)
    has = case.lane.member(real, asked.name) if real is not None else None
    if real is None or has is None:
        return None
    if not has:
        return Shown("lane", f"{real} has no {asked.name}") if case.is_of_plugin(frame) else None
    if asked.nature in _NATURES:
        return Shown("pins", f"{_NATURES[asked.nature]} has no {asked.name}, which {real} has")
    if _is_made_bare(case, asked):
        reason = f"the test makes a {real} without its constructor, and sets no {asked.name}"
        return Shown("pins", reason)
    return None


def _real(case: Case, frame: Frame, asked: Asked) -> str | None:
    """The class of what should have been there."""
    if asked.nature not in ("namespace", "test"):
        return asked.classes[0] if asked.classes else None
    declared = case.lane.class_asked(frame, asked.name)
    if declared is not None:
        return declared
    # Nothing says what it is: of what one class alone has, and none had before, nothing else can be meant.
    holders = case.lane.holders(asked.name)
    fresh = not case.release.holders(asked.name)
    return holders[0].name if len(holders) == 1 and fresh else None


def _no_longer_set(case: Case, frame: Frame, asked: Asked) -> str | None:
    """The attribute that upstream's class gave a plugin's object at the release, and that nothing gives it
    now, or nothing but what the plugin's own constructor does later."""
    if asked.nature != "object" or not asked.classes:
        return None
    before, now = (_giving(end, asked.classes[0], asked.name) for end in (case.release, case.lane))
    upstream = [each for each in before or () if case.release.is_upstream(each)]
    kept = now is None or any(case.lane.is_upstream(each) for each in now)
    if not upstream or kept or (frame.function != "__init__" and (now or upstream != before)):
        return None
    return f"{upstream[0]}.{asked.name}"


def _giving(end: LaneSources, class_: str, name: str) -> list[str] | None:
    """The classes of a lineage that give a member more than an annotation; None where some cannot be seen."""
    symbol = end.class_(class_)
    if symbol is None or end.universe.is_open(symbol):
        return None
    return [
        each.name
        for each in end.universe.lineage(symbol).classes
        if any(not isinstance(node, Attribute) or node.value for node in end.universe.defined(each, name))
    ]


def _is_made_bare(case: Case, asked: Asked) -> bool:
    """Whether all tests of a group make objects by ``__new__`` alone, in no constructor. A test may know a
    class by the name of one that it takes the place of."""
    names = "|".join(re.escape(each.rpartition(".")[2]) for each in asked.classes)
    pattern = re.compile(rf"\b(?:{names}|object)\.__new__\(".encode())
    running = any(frame.function in ("__init__", "__new__") for frame in case.cause.frames)
    return not running and all(pattern.search(text) for text in case.texts_of_tests)
