"""Rules for names that are not there: imports, attributes, targets of mocks, and what cannot be set."""

from __future__ import annotations

import re

from syncbot.suites.case import Case, Shown
from syncbot.suites.lane_sources import LaneSources
from syncbot.verify.suite.outcomes import Asked

_MODULE = re.compile(r"No module named '([\w.]+)'")
_IMPORTED = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")
_MODULES_OWN = re.compile(r"module'? (?:object at |')([\w.]+)'? has no attribute '(\w+)'")
#: As unittest.mock and pytest's monkeypatch say it.
_TARGET = re.compile(
    r"<(?:class|module) '([\w.]+)'(?: from '[^']*')?> (?:does not have the|has no) attribute '(\w+)'"
)
_SETTER = re.compile(r"property '(\w+)' of '(\w+)' object has no setter")


def missing_name(case: Case) -> Shown | None:
    """A name that upstream took away: a test that asks for it ``pins``, a plugin that does is wrong."""
    wanted = _wanted(case)
    frame = case.ours
    if wanted is None or frame is None:
        return None
    owner, name = wanted
    if case.is_of_test(frame):
        gone = _gone(case, owner, name)
        return Shown("pins", f"the test asks for {gone}, which upstream has no more") if gone else None
    if not case.is_of_plugin(frame) or frame is not case.frame:
        return None
    return _asked_by_plugin(case, owner, name)


def property_set(case: Case) -> Shown | None:
    """A member that is computed now and cannot be set."""
    told = _SETTER.search(case.cause.message)
    frame = case.frame
    if told is None or frame is None:
        return None
    name, class_ = told[1], told[2]
    of_plugin, of_test = case.is_of_plugin(frame), case.is_of_test(frame)
    reasons = set()
    for symbol in case.lane.named(class_):
        owner = _computes(case.lane, symbol.name, name)
        was = case.release.class_(symbol.name)
        if owner is None or was is None or _computes(case.release, symbol.name, name) is not None:
            continue
        if not case.lane.is_upstream(owner):
            return None
        reasons.add(f"sets {owner}.{name}, which upstream computes now")
    if len(reasons) != 1 or not (of_plugin or of_test):
        return None
    reason = reasons.pop()
    return Shown("lane", f"{frame.file} {reason}") if of_plugin else Shown("pins", f"the test {reason}")


def _computes(end: LaneSources, class_: str, name: str) -> str | None:
    """The class that defines a member of another as a property without a setter."""
    symbol = end.class_(class_)
    member = end.universe.member(symbol, name) if symbol is not None else None
    functions = member.functions if member is not None else ()
    if member is None or not functions or len(functions) != len(member.nodes):
        return None
    decorators = {each for function in functions for each in function.decorators}
    is_set = any(each.endswith(".setter") for each in decorators)
    return member.owner.name if "property" in decorators and not is_set else None


def _wanted(case: Case) -> tuple[str, str] | None:
    """The dotted name of what was asked for a name, and that name."""
    message = case.cause.message
    if case.kind in ("ImportError", "ModuleNotFoundError"):
        if (told := _IMPORTED.search(message)) is not None:
            return told[2], told[1]
        if (told := _MODULE.search(message)) is not None:
            owner, _, name = told[1].rpartition(".")
            return (owner, name) if owner else None
        return None
    if case.kind != "AttributeError":
        return None
    if (told := _TARGET.search(message) or _MODULES_OWN.search(message)) is not None:
        return told[1], told[2]
    asked = case.cause.asked
    return _of_object(case, asked) if asked is not None and asked.nature in ("object", "test") else None


def _of_object(case: Case, asked: Asked) -> tuple[str, str] | None:
    """The first class of what was asked that both ends know."""
    for class_ in asked.classes:
        if case.release.class_(class_) is not None and case.lane.class_(class_) is not None:
            return class_, asked.name
    return None


def _gone(case: Case, owner: str, name: str) -> str | None:
    """The dotted name of what the release's upstream gave under that name, and the lane's does not have; None
    where that is not so."""
    release, lane = case.release, case.lane
    class_ = release.class_(owner)
    if class_ is not None:
        return _gone_member(case, owner, name)
    found = release.universe.resolve(f"{owner}.{name}")
    if found is None:
        return None
    if release.is_upstream(owner):
        # Whatever it was there: upstream's module does not have it under this name.
        return f"{owner}.{name}" if lane.universe.resolve(f"{owner}.{name}") is None else None
    if not release.is_upstream(found.module):
        return None
    return found.name if lane.universe.resolve(found.name) is None else None


def _gone_member(case: Case, owner: str, name: str) -> str | None:
    release, lane = case.release, case.lane
    class_ = release.class_(owner)
    for base in release.universe.lineage(class_).classes if class_ is not None else ():
        if not release.is_upstream(base.module) or not release.universe.defined(base, name):
            continue
        homes = [base.name] if lane.class_(base.name) is not None else []
        # It may have moved, and have the member at its new place.
        homes = homes or [each.name for each in lane.named(base.qualname) if lane.is_upstream(each.module)]
        has = any(lane.member(home, name) for home in homes)
        return None if has else f"{base.name}.{name}"
    return None


def _asked_by_plugin(case: Case, owner: str, name: str) -> Shown | None:
    """Return ``lane`` where the plugin itself asks for a missing name, ``pins`` where the test replaced the
    real module, which has it; else None."""
    frame, lane = case.frame, case.lane
    assert frame is not None
    is_class = lane.class_(owner) is not None
    if is_class:
        return None
    has = lane.universe.resolve(f"{owner}.{name}") is not None
    if has:
        fake = case.kind == "AttributeError" or "(unknown location)" in case.cause.message
        return Shown("pins", f"a module of the test in the place of {owner} has no {name}") if fake else None
    unchanged = case.release.text(frame.file) == lane.text(frame.file)
    if unchanged and case.release.universe.resolve(f"{owner}.{name}") is None:
        # The same code found it at the release, where no source has it: it is compiled, or the test's.
        return None
    asks = "imports" if case.kind != "AttributeError" else "asks for"
    return Shown("lane", f"{frame.file} {asks} {owner}.{name}, which is no more")
