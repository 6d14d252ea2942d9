"""From findings to cases: what a finding says of an upstream symbol, and how sure that is.

Both upstream trees are asked whether the symbol really differs. A finding that neither tree explains
comes from something else that changed (a type that is known now), and is never more than at risk.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from syncbot.api.extract import dotted
from syncbot.contracts.guards import other_version, tests_for, tolerates_import, type_checking
from syncbot.impact.model import Verdict
from syncbot.impact.typecheck.model import Finding, Problem
from syncbot.impact.typecheck.names import Names
from syncbot.impact.typecheck.places import Place, Places
from syncbot.impact.typecheck.signatures import Misfit, Printed, misfits, parse

BREAKS, AT_RISK = Verdict.BREAKS, Verdict.AT_RISK


@dataclass(frozen=True, slots=True)
class Case:
    """A judged finding. ``words`` and ``modules`` are what the guilty commit must have touched; ``proven``
    tells that the two upstream trees differ in just that."""

    finding: Finding
    engines: tuple[str, ...]
    kind: str
    symbol: str
    verdict: Verdict
    confidence: float
    message: str
    words: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    proven: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What a judge looks at: one finding of one name, and who found it."""

    finding: Finding
    place: Place
    engines: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name concerned, empty where the checker says none."""
        return self.finding.names[0] if self.finding.names else ""


Judge = Callable[[Subject, Names], Case | None]


def judge(finding: Finding, engines: tuple[str, ...], names: Names, places: Places) -> Case | None:
    """The case that a finding makes, None where it says nothing about the upstream."""
    diagnostic = finding.diagnostic
    place = places.at(diagnostic.file, diagnostic.line, diagnostic.column)
    if place is None or other_version(place.guards):
        return None
    case = _JUDGES[finding.problem](Subject(finding, place, engines), names)
    if case is None:
        return None
    if len(engines) > 1 and case.verdict is BREAKS:
        case = replace(case, confidence=min(0.98, case.confidence + 0.02))
    return _guarded(case, place)


def _guarded(case: Case, place: Place) -> Case:
    importing = case.finding.problem in (Problem.MODULE_MISSING, Problem.NAME_MISSING)
    if importing and tolerates_import(place.guards):
        return _lower(case, "the failing import is caught here")
    if importing and type_checking(place.guards):
        return _lower(case, "the import is for type checkers only")
    if any(tests_for(place.guards, name) for name in case.finding.names):
        return _lower(case, "the code here tests for it, and will silently take the other path")
    return case


def _lower(case: Case, why: str) -> Case:
    return replace(
        case, verdict=AT_RISK, confidence=min(case.confidence, 0.4), message=f"{case.message}; {why}"
    )


def _case(
    subject: Subject,
    kind: str,
    symbol: str,
    verdict: Verdict,
    confidence: float,
    message: str,
    words: tuple[str, ...] = (),
    modules: tuple[str, ...] = (),
    proven: bool = False,
) -> Case:
    homes = modules or _modules_of(symbol)
    used = words or tuple(w for w in (subject.name or symbol.rpartition(".")[2],) if w)
    return Case(
        subject.finding, subject.engines, kind, symbol, verdict, confidence, message, used, homes, proven
    )


def _modules_of(symbol: str) -> tuple[str, ...]:
    parts = symbol.split(".")
    return tuple(".".join(parts[:length]) for length in range(len(parts), 1, -1))


# Imports


def _module_missing(subject: Subject, names: Names) -> Case | None:
    module = subject.finding.owner
    if not names.old_tree.owns(module) or not names.old_tree.exists(module) or names.new_tree.exists(module):
        return None
    message = f"{module} no longer exists, but is imported here"
    return _case(
        subject, "module-removed", module, BREAKS, 0.97, message, (module.rpartition(".")[2],), (module,)
    )


def _name_missing(subject: Subject, names: Names) -> Case | None:
    module, name = subject.finding.owner, subject.name
    symbol = f"{module}.{name}"
    if not names.is_upstream(module) or names.old.resolve(symbol) is None:
        return None
    after = names.new.resolve(symbol)
    if after is not None:
        return None
    before = names.old.resolve(symbol)
    homes = tuple(dict.fromkeys((module, before.module if before else module)))
    if subject.place.assigns(name):
        message = f"{symbol} is replaced here, but upstream no longer has it, so nobody calls the replacement"
        return _case(
            subject, "patch-target-removed", symbol, BREAKS, 0.92, message, modules=homes, proven=True
        )
    message = f"{symbol} no longer exists, but is used here"
    return _case(subject, "symbol-removed", symbol, BREAKS, 0.97, message, modules=homes, proven=True)


def _name_borrowed(subject: Subject, names: Names) -> Case | None:
    module, name = subject.finding.owner, subject.name
    before, after = names.old.resolve(f"{module}.{name}"), names.new.resolve(f"{module}.{name}")
    if before is None or after is None or before.name == after.name or before.module != module:
        return None
    message = (
        f"{before.name} now lives in {after.module}; {module} still imports it, but only for its own use"
    )
    return _case(subject, "symbol-moved", before.name, AT_RISK, 0.3, message, modules=(module, after.module))


# Attributes


def _attribute_missing(subject: Subject, names: Names) -> Case | None:
    name, place = subject.name, subject.place
    owners = names.classes(subject.finding.owner, place)
    skip = 1 if subject.finding.owner.startswith("<super") else 0
    for owner in owners:
        before, after = names.members(owner, name, skip)
        if before is not None and after is None and names.is_upstream(before.owner.name):
            partly = subject.finding.partly and len(owners) > 1
            return _attribute_gone(subject, before.symbol, before.owner.module, partly)
        if before is not None and after is not None:
            return None
    if len(owners) != 1 or not names.is_upstream(owners[0]):
        return None
    message = f"{owners[0]} has no {name}, and what is used here is now known to be one"
    return _case(subject, "attribute-missing", f"{owners[0]}.{name}", AT_RISK, 0.35, message)


def _attribute_gone(subject: Subject, symbol: str, module: str, partly: bool) -> Case:
    name = subject.name
    if subject.place.assigns(name):
        message = f"{symbol} no longer exists: what is assigned here is not read upstream any more"
        return _case(
            subject, "attribute-removed", symbol, BREAKS, 0.85, message, modules=(module,), proven=True
        )
    message = f"{symbol} no longer exists, but is used here"
    confidence = 0.85 if partly else 0.95
    return _case(
        subject, "attribute-removed", symbol, BREAKS, confidence, message, modules=(module,), proven=True
    )


def _attribute_unknown(subject: Subject, names: Names) -> Case | None:
    """A class with a base outside the trees hides a missing attribute: it counts as unknown from then on."""
    name, place = subject.name, subject.place
    here, node = names.here(place), place.attribute(name)
    if here is None or node is None:
        return None
    receiver = node.value
    on_self = getattr(receiver, "id", None) in ("self", "cls")
    on_super = getattr(getattr(receiver, "func", None), "id", None) == "super"
    if not (on_self or on_super):
        return None
    before_class, after_class = names.class_in(names.old, here), names.class_in(names.new, here)
    if before_class is None or after_class is None:
        return None
    lost = set(names.new.lineage(after_class).external) - set(names.old.lineage(before_class).external)
    if any(names.is_upstream(base) for base in lost):
        return None
    before, after = names.members(here, name, 1 if on_super else 0)
    if before is None or after is not None or not names.is_upstream(before.owner.name):
        return None
    return _attribute_gone(subject, before.symbol, before.owner.module, False)


def _read_only(subject: Subject, names: Names) -> Case | None:
    owners = names.classes(subject.finding.owner, subject.place)
    for owner in owners:
        _, after = names.members(owner, subject.name)
        if after is not None and names.is_upstream(after.owner.name):
            message = f"{after.symbol} can no longer be set, but is assigned here"
            return _case(subject, "attribute-read-only", after.symbol, BREAKS, 0.9, message)
    return None


def _attribute_type(subject: Subject, names: Names) -> Case | None:
    mine, theirs = _union(subject.finding.ours), _union(subject.finding.theirs)
    # A union that only grew or shrank, and wrapped functions that print as unions, break nothing.
    if not mine or not theirs or mine & theirs or "->" in subject.finding.theirs:
        return None
    here = names.here(subject.place)
    before, after = names.members(here, subject.name, 1) if here else (None, None)
    if before is None or after is None or not names.is_upstream(after.owner.name):
        return None
    new, own = _short(subject.finding.theirs), _short(subject.finding.ours)
    message = f"{after.symbol} is now {new}, while the class here makes it {own}"
    return _case(subject, "attribute-type-changed", after.symbol, AT_RISK, 0.4, message)


# Calls


def _keyword_unknown(subject: Subject, names: Names) -> Case | None:
    callee = _callee(subject, names)
    if callee is None:
        return None
    symbol = names.parameter_home(callee, subject.name)
    if not names.is_upstream(symbol):
        return None
    before, after = names.function(names.old, callee), names.function(names.new, callee)
    if after is not None and _takes(after, subject.name):
        return None
    message = f"{symbol} no longer takes {subject.name}, which is passed here"
    if before is None:
        return _case(subject, "parameter-removed", symbol, BREAKS, 0.8, message)
    if _takes(before, subject.name):
        return _case(subject, "parameter-removed", symbol, BREAKS, 0.95, message, proven=True)
    return _mismatch(subject, symbol)


def _argument_missing(subject: Subject, names: Names) -> Case | None:
    callee = _callee(subject, names)
    if callee is None:
        return None
    symbol = names.parameter_home(callee, subject.name)
    if not names.is_upstream(symbol):
        return None
    before, after = names.function(names.old, callee), names.function(names.new, callee)
    wanted = set() if after is None else {p.name for p in after.parameters if p.required}
    fresh = sorted(wanted - ({p.name for p in before.parameters if p.required} if before else set()))
    if after is not None and subject.name not in wanted:
        return None
    if before is not None and not fresh:
        return _mismatch(subject, symbol)
    # An argument inserted before others leaves the last of them without one.
    name = subject.name if subject.name in fresh or not fresh else fresh[0]
    message = f"{symbol} now requires {name}, which is not passed here"
    confidence = 0.95 if before is not None else 0.8
    return _case(
        subject, "parameter-required", symbol, BREAKS, confidence, message, (name,), proven=before is not None
    )


def _mismatch(subject: Subject, symbol: str) -> Case:
    message = f"what is called here is now known to be {symbol}, which does not fit the call"
    return _case(subject, "call-mismatch", symbol, AT_RISK, 0.35, message)


def _takes(signature: Printed, name: str) -> bool:
    return signature.has("**") or signature.named(name) is not None


def _argument_surplus(subject: Subject, names: Names) -> Case | None:
    return _reordered(subject, names, "parameter-removed",
                      "{symbol} takes fewer positional arguments than are passed here")  # fmt: skip


def _argument_twice(subject: Subject, names: Names) -> Case | None:
    return _reordered(subject, names, "parameter-reordered",
                      "{symbol} has its parameters in another order: the call here gives {name} twice")  # fmt: skip


def _reordered(subject: Subject, names: Names, kind: str, text: str) -> Case | None:
    callee = _callee(subject, names)
    if callee is None:
        return None
    symbol = names.parameter_home(callee, subject.name)
    if not names.is_upstream(symbol):
        return None
    before, after = names.function(names.old, callee), names.function(names.new, callee)
    message = text.format(symbol=symbol, name=subject.name)
    changed = before is None or after is None or _order(before) != _order(after)
    if changed:
        return _case(subject, kind, symbol, BREAKS, 0.93, message, _changed_words(before, after, symbol))
    return _mismatch(subject, symbol)


def _argument_type(subject: Subject, names: Names) -> Case | None:
    callee = _callee(subject, names)
    if callee is None:
        return None
    finding, upstream = subject.finding, names.is_upstream(callee)
    if finding.ours.startswith("Self@"):
        return None
    before, after = names.function(names.old, callee), names.function(names.new, callee)
    if upstream and before is not None and after is not None and _order(before) != _order(after):
        shifted = not subject.name or _index(before, subject.name) != _index(after, subject.name)
        by_name = re.search(rf"\b{re.escape(subject.name)}\s*=", _line(subject)) if subject.name else None
        if shifted and not by_name:
            into = subject.name or "another one"
            message = f"{callee} has its parameters in another order: the argument here lands in {into}"
            words = _changed_words(before, after, callee)
            return _case(subject, "parameter-reordered", callee, BREAKS, 0.85, message, words)
    theirs, ours = _short(finding.theirs), _short(finding.ours)
    if upstream and before is not None and after is not None:
        old, new = _annotation(before, subject.name), _annotation(after, subject.name)
        if old != new and subject.name:
            message = f"{callee} now wants {theirs} for {subject.name}, and gets {ours} here"
            return _case(subject, "parameter-type-changed", callee, AT_RISK, 0.5, message)
    if _only_none(finding.ours, finding.theirs):
        return None
    message = f"what is passed here to {callee} is now {ours}, which it does not take"
    words = tuple(re.findall(r"[A-Z]\w+", finding.ours)) or (subject.name,)
    return _case(subject, "value-type-changed", callee, AT_RISK, 0.35, message, words, ("",))


# Definitions


def _override(subject: Subject, names: Names) -> Case | None:
    here, method = names.here(subject.place), subject.name
    if here is None:
        return None
    before, after = names.members(here, method, 1)
    if after is None or not names.is_upstream(after.owner.name):
        return None
    mine = names.function(names.new, f"{here}.{method}")
    theirs = names.function(names.new, after.symbol)
    was = names.function(names.old, before.symbol) if before is not None else None
    if mine is None or theirs is None:
        return None
    known = set(misfits(mine, was)) if was is not None else set()
    fresh = [m for m in misfits(mine, theirs) if m not in known]
    if fresh:
        return _misfit_case(subject, names, after.symbol, method, fresh)
    printed = parse(subject.finding.theirs), parse(subject.finding.ours)
    returns = [p.returns if p is not None else "" for p in printed]
    if all(returns) and was is not None and was.returns != theirs.returns:
        if returns[1] == "None" and "None" not in _union(returns[0]):
            message = (
                f"{after.symbol} now returns {_short(returns[0])}, while the override here returns nothing"
            )
            return _case(subject, "return-shape-changed", after.symbol, BREAKS, 0.8, message)
        if not _union(returns[0]) & _union(returns[1]):
            new, own = _short(returns[0]), _short(returns[1])
            message = f"{after.symbol} now returns {new}, while the override here returns {own}"
            return _case(subject, "return-shape-changed", after.symbol, AT_RISK, 0.5, message)
    return None


def _replacement(subject: Subject, names: Names) -> Case | None:
    target = subject.place.assigns(subject.name)
    symbol = names.old.local(subject.place.file.module, target) if target else None
    ours, theirs = parse(subject.finding.ours), parse(subject.finding.theirs)
    if symbol is None or not names.is_upstream(symbol.name) or ours is None or theirs is None:
        return None
    was = names.function(names.old, symbol.name)
    known = {(m.kind, m.name) for m in misfits(ours, was)} if was is not None else set()
    fresh = [m for m in misfits(ours, theirs) if (m.kind, m.name) not in known]
    return _misfit_case(subject, names, symbol.name, subject.name, fresh) if fresh else None


def _misfit_case(
    subject: Subject, names: Names, symbol: str, function: str, fresh: list[Misfit]
) -> Case | None:
    here = "override" if subject.finding.problem is Problem.OVERRIDE else "replacement"
    words = tuple(dict.fromkeys([m.name for m in fresh] + [m.other for m in fresh if m.other] + [function]))
    for misfit in fresh:
        if misfit.kind == "required":
            message = f"callers of {symbol} no longer pass {misfit.name}, which the {here} here requires"
            return _case(subject, "parameter-removed", symbol, BREAKS, 0.85, message, words)
    for misfit in fresh:
        if misfit.kind in ("unaccepted", "renamed") and (caller := _passed(names, function, misfit)):
            message = f"{caller} passes {misfit.name} to {symbol}, which the {here} here does not take"
            kind = "parameter-added" if misfit.kind == "unaccepted" else "parameter-renamed"
            return _case(subject, kind, symbol, BREAKS, 0.9, message, words)
    first = fresh[0]
    if first.kind == "renamed":
        message = f"{symbol} calls its parameter {first.other} {first.name} now; the {here} here does not"
        return _case(subject, "parameter-renamed", symbol, AT_RISK, 0.4, message, words)
    if first.kind == "default":
        message = f"{symbol} gives {first.name} a default; the {here} here requires it"
        return _case(subject, "parameter-default-added", symbol, AT_RISK, 0.3, message, words)
    message = (
        f"{symbol} takes {first.name} now; the {here} here does not, and no upstream caller passes it yet"
    )
    return _case(subject, "parameter-added", symbol, AT_RISK, 0.5, message, words)


def _passed(names: Names, function: str, misfit: Misfit) -> str | None:
    keyword = re.compile(rf"(?:^|[,(\s]){re.escape(misfit.name)}\s*=(?!=)")
    for module, arguments in names.callers(function):
        if keyword.search(arguments):
            return module
        if misfit.kind == "unaccepted" and misfit.position is not None:
            printed = parse(f"({arguments})")
            given = [p for p in printed.parameters if p.default is None] if printed is not None else []
            if len(given) > misfit.position:
                return module
    return None


def _abstract(subject: Subject, names: Names) -> Case | None:
    for owner in names.classes(subject.finding.owner, subject.place):
        _, after = names.members(owner, subject.name)
        if after is not None and names.is_upstream(after.owner.name):
            message = (
                f"{after.symbol} is now abstract, and {owner.rpartition('.')[2]} here does not define it"
            )
            return _case(subject, "abstract-method-added", after.symbol, BREAKS, 0.93, message)
    return None


# Values


def _unpack(subject: Subject, names: Names) -> Case | None:
    symbol = _called(subject, names)
    if symbol is None:
        return None
    message = f"{symbol} returns a tuple of another size than the {subject.finding.ours} values unpacked here"
    return _case(subject, "return-shape-changed", symbol, BREAKS, 0.92, message)


def _not_iterable(subject: Subject, names: Names) -> Case | None:
    theirs = subject.finding.theirs
    symbol = _called(subject, names)
    owners = names.classes(theirs, subject.place)
    symbol = symbol or next((o for o in owners if names.is_upstream(o)), None)
    if symbol is None:
        return None
    if "None" in _union(theirs):
        message = f"what {symbol} gives here may now be None, which cannot be iterated"
        return _case(subject, "return-shape-changed", symbol, AT_RISK, 0.4, message)
    message = f"what {symbol} gives here is now {_short(theirs)}, which cannot be iterated or unpacked"
    return _case(subject, "return-shape-changed", symbol, BREAKS, 0.85, message)


def _deprecated(subject: Subject, names: Names) -> Case | None:
    owner = subject.finding.owner
    if not owner or not names.is_upstream(owner):
        return None
    symbol = f"{owner}.{subject.name}"
    return _case(subject, "deprecated", symbol, AT_RISK, 0.3, f"{symbol} is now deprecated")


def _value_type(subject: Subject, names: Names) -> Case | None:
    symbol = _called(subject, names)
    theirs, ours = subject.finding.theirs, subject.finding.ours
    if symbol is None or not ours or _only_none(ours, theirs) or _union(ours) & _union(theirs):
        return None
    message = f"{symbol} now returns {_short(ours)}, which does not fit {_short(theirs)} here"
    return _case(subject, "return-shape-changed", symbol, AT_RISK, 0.4, message)


_JUDGES: dict[Problem, Judge] = {
    Problem.MODULE_MISSING: _module_missing,
    Problem.NAME_MISSING: _name_missing,
    Problem.NAME_BORROWED: _name_borrowed,
    Problem.ATTRIBUTE_MISSING: _attribute_missing,
    Problem.ATTRIBUTE_UNKNOWN: _attribute_unknown,
    Problem.ATTRIBUTE_READ_ONLY: _read_only,
    Problem.ATTRIBUTE_TYPE: _attribute_type,
    Problem.KEYWORD_UNKNOWN: _keyword_unknown,
    Problem.ARGUMENT_MISSING: _argument_missing,
    Problem.ARGUMENT_SURPLUS: _argument_surplus,
    Problem.ARGUMENT_TWICE: _argument_twice,
    Problem.ARGUMENT_TYPE: _argument_type,
    Problem.OVERRIDE: _override,
    Problem.REPLACEMENT: _replacement,
    Problem.ABSTRACT: _abstract,
    Problem.UNPACK: _unpack,
    Problem.NOT_ITERABLE: _not_iterable,
    Problem.DEPRECATED: _deprecated,
    Problem.VALUE_TYPE: _value_type,
}


# What several judges ask


def _callee(subject: Subject, names: Names) -> str | None:
    """The dotted name of the function a finding is about: as printed, else as called on the line."""
    owner = subject.finding.owner
    if "." in owner and (names.old.tree_of(owner) or names.new.tree_of(owner)):
        return owner
    short, _, method = owner.partition(".")
    if method and (found := names.class_named(short, subject.place)):
        return f"{found}.{method}"
    return _called(subject, names, owner)


def _called(subject: Subject, names: Names, last: str = "") -> str | None:
    """The dotted name of the upstream function that is called on the line (named ``last``, if given)."""
    place = subject.place
    for call in place.calls():
        text = dotted(call.func)
        if text is None or (last and text.rpartition(".")[2] != last):
            continue
        head, _, rest = text.partition(".")
        here = names.here(place)
        if head in ("self", "cls") and here and rest and "." not in rest:
            before, after = names.members(here, rest)
            found = after or before
            if found is not None and names.is_upstream(found.owner.name):
                return found.symbol
            continue
        symbol = names.new.local(place.file.module, text) or names.old.local(place.file.module, text)
        if symbol is None:
            continue
        if symbol.kind == "class":
            return f"{symbol.name}.__init__"
        if symbol.qualname and names.is_upstream(symbol.name):
            return symbol.name
    return None


def _line(subject: Subject) -> str:
    lines = subject.place.file.text.decode("utf-8", "replace").splitlines()
    return lines[subject.place.line - 1] if subject.place.line <= len(lines) else ""


def _order(signature: Printed) -> list[str]:
    return [p.name for p in signature.positional]


def _index(signature: Printed, name: str) -> int | None:
    order = _order(signature)
    return order.index(name) if name in order else None


def _annotation(signature: Printed, name: str) -> str | None:
    return next((p.annotation for p in signature.parameters if p.name == name), None)


def _changed_words(before: Printed | None, after: Printed | None, symbol: str) -> tuple[str, ...]:
    if before is None or after is None:
        return (symbol.rpartition(".")[2],)
    return tuple(sorted({p.name for p in before.parameters} ^ {p.name for p in after.parameters})) or (
        symbol.rpartition(".")[2],
    )


def _union(printed: str) -> set[str]:
    return {part.strip() for part in printed.split("|") if part.strip() not in ("", "Unknown")}


def _only_none(ours: str, theirs: str) -> bool:
    return _union(ours) - {"None"} <= _union(theirs) or ours == "None"


def _short(printed: str) -> str:
    return printed if len(printed) <= 60 else printed[:57] + "…"
