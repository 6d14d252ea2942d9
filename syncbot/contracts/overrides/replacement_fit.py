"""A backend function that stands in for an upstream one (override or monkey-patch): does it still fit?"""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.methods import gives_coroutine, is_classmethod, is_property, is_static
from syncbot.api.model import Call, Function, Parameter
from syncbot.api.signatures import Signature, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.contracts.calls.binding import renamed_by_place
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.overrides.callers import Callers, fits, running_calls
from syncbot.contracts.overrides.changed_function import ChangedFunction, described, place_of, shown
from syncbot.contracts.overrides.empty_bodies import does_nothing
from syncbot.contracts.overrides.former_fit import as_before, never_fitted, was_refused
from syncbot.contracts.overrides.left_out import left_out
from syncbot.contracts.overrides.newly_passed import newly_passed, newly_swallowed
from syncbot.contracts.overrides.plain_results import gives_plain
from syncbot.contracts.overrides.renamed_in_place import is_given_by_place, swallowing, taken_as, taken_for
from syncbot.contracts.overrides.replacement_results import compare_results

_HELD = "its objects are kept by classes whose own method of that name is the project's"


def compare_replacement(
    contract: Contract,
    ours: Function,
    old: Function,
    new: Function,
    symbol: str,
    owner: Symbol,
    pair: Comparison,
    stands_in: Symbol | None = None,
    binding: str = "",
) -> Iterator[Finding]:
    """Yield what a change of an upstream function, in ``owner``, means for the one that replaces it;
    ``stands_in`` is the backend's class with an override, ``binding`` the module where an imported name is
    replaced."""
    # What only raises NotImplementedError is not there to be called.
    if ours.unimplemented:
        return
    method = owner.kind == "class"
    constructs = method and new.name == "__init__"
    called = owner.qualname.rpartition(".")[2] if constructs else new.name
    change = ChangedFunction(
        symbol,
        (stands_in or owner) if method and not constructs else None,
        function_signatures([ours], bound=method and not is_static(ours))[0],
        function_signatures([old], bound=method and not is_static(old))[0],
        function_signatures([new], bound=method and not is_static(new))[0],
        called,
        owner.name if constructs else "" if method else symbol,
        stands_in is not None and not constructs,
        stands_in if constructs and old is not new else None,
        binding,
    )
    if old is not new:
        yield from _other_nature(contract, ours, old, new, symbol)
        if change.old.parameters != change.new.parameters:
            yield from _that_matter(_other_signature(contract, change, pair), ours)
            yield from left_out(contract, change, pair)
        own = stands_in is not None and _gives_by_itself(ours, stands_in, pair)
        plain = gives_plain(ours, old, new, owner.module, stands_in, pair.new)
        yield from compare_results(contract, ours, old, new, symbol, by_itself=own, plain=plain)
    yield from newly_passed(contract, change, pair)
    yield from newly_swallowed(contract, change, pair)


def _that_matter(found: Iterator[Finding], ours: Function) -> Iterator[Finding]:
    """In which parameter something lands matters to who reads one."""
    reads = not does_nothing(ours)
    return (finding for finding in found if reads or finding.kind is not ChangeKind.PARAMETER_REORDERED)


def _gives_by_itself(ours: Function, own: Symbol, pair: Comparison) -> bool:
    """Whether an override returns what other methods of the backend give."""
    asked = [shape.partition("call self.")[2] for shape in ours.returned]
    members = [pair.new.member(own, name) for name in asked if name.isidentifier()]
    ours_alone = all(m is None or not pair.is_upstream(m.owner.module) for m in members)
    return len(members) == len(asked) and ours_alone


def _other_nature(
    contract: Contract, ours: Function, old: Function, new: Function, symbol: str
) -> Iterator[Finding]:
    for test, word in (
        (lambda f: gives_coroutine(f) is True, "a coroutine function"),
        (is_property, "a property"),
        (is_static, "a static method"),
        (is_classmethod, "a class method"),
    ):
        if test(old) != test(new) and test(ours) == test(old):
            reason = f"{symbol} is {'now' if test(new) else 'no longer'} {word}"
            told = Finding(
                contract, ChangeKind.METHOD_KIND_CHANGED, symbol, Ground.OTHER_NATURE, reason, subject=word
            )
            # Asked of an object, such a method takes what a plain one would.
            same = test in (is_static, is_classmethod) and test(ours)
            aside = "; ours still is one, which takes the same where it is called on an object"
            yield told.doubted(Ground.DOUBTED, aside) if same else told


def _other_parameters(contract: Contract, change: ChangedFunction, pair: Comparison) -> Iterator[Finding]:
    old, new = change.old, change.new
    callers = Callers.of(change, pair)
    renames = renamed_by_place(old, new)
    for parameter in new.parameters:
        if parameter.kind not in ("*", "**") and old.get(parameter.name) is None:
            yield from _gained(contract, change, parameter, renames.get(parameter.name), callers)
    for parameter in old.parameters:
        gone = parameter.kind not in ("*", "**") and new.get(parameter.name) is None
        if gone and parameter.name not in renames.values():
            yield from _lost(contract, change, parameter, callers)
    yield from _reordered(contract, change, callers.passing, callers.running)


def _other_signature(contract: Contract, change: ChangedFunction, pair: Comparison) -> Iterator[Finding]:
    found = list(_other_parameters(contract, change, pair)) or list(_misplaced(contract, change, pair))
    # Constructors are called by their class's name, each with its own arguments.
    doubted = not change.target and (
        never_fitted(change.ours, change.old)
        or (any(f.verdict is Verdict.BREAKS for f in found) and was_refused(change, pair))
    )
    yield from map(as_before, found) if doubted else found


def _gained(
    contract: Contract, change: ChangedFunction, parameter: Parameter, previous: str | None, callers: Callers
) -> Iterator[Finding]:
    ours, name = change.ours, parameter.name
    if name in ours.names:
        return
    if ours.has("**") and parameter.kind != "pos":
        call = swallowing(change, name, previous, callers.running)
        words = f"; upstream passes it by name ({shown(call)}), this requires {previous}" if call else ""
        found = (Ground.PASSED_BY_NAME, words) if call is not None else None
    else:
        found = _lacking(change, parameter, previous, callers)
    if found is None:
        return
    ground, words = found
    if ground is Ground.PASSED_OF_OTHER_TYPE:
        # Another name alone would not mend what takes something else.
        reason = f"{change.symbol}() renamed {previous} to {name}{words}"
        yield Finding(
            contract, ChangeKind.PARAMETER_TYPE_CHANGED, change.symbol, ground, reason, subject=name
        )
        return
    if previous is not None:
        kind = ChangeKind.PARAMETER_RENAMED
        reason = f"{change.symbol}() renamed {previous} to {name}"
    else:
        kind = ChangeKind.PARAMETER_REQUIRED if parameter.required else ChangeKind.PARAMETER_ADDED
        reason = f"{change.symbol}() gained {'the required ' if parameter.required else ''}{name}"
    details = described(change, change.new, parameter, previous)
    yield Finding(contract, kind, change.symbol, ground, reason + words, subject=name, details=details)


def _lacking(
    change: ChangedFunction, parameter: Parameter, previous: str | None, callers: Callers
) -> tuple[Ground, str] | None:
    """Return what it means that ours does not take a parameter; None where a renamed one is never passed."""
    ours, name = change.ours, parameter.name
    named = [c for c in callers.passing if name in c.keywords]
    passed = [c for c in named if c not in callers.hidden]
    if passed:
        words = f"; upstream passes it by name ({shown(passed[0])}), this override does not take it"
        return Ground.PASSED_BY_NAME, words
    if named:
        where = shown(named[0])
        return Ground.OVERRIDDEN, f"; upstream passes it by name only where the project overrides ({where})"
    if _takes_by_place(change, parameter):
        return None
    if previous is None and parameter.required and not callers.unseen and not _swallows(ours, parameter):
        taken = taken_as(change, parameter, callers.running)
        if taken is not None:
            return Ground.STILL_FITTING, f"; what upstream passes by place is {taken} here"
        return Ground.REQUIRED_OF_OURS, ", which this override does not take"
    overflow = _overflow(change, name, callers.running)
    if overflow is not None:
        many = "s" if overflow.positional != 1 else ""
        words = f"; upstream passes {overflow.positional} positional argument{many} ({shown(overflow)})"
        return Ground.PASSED_BY_PLACE, words
    if previous is not None:
        meant = None if callers.unseen else taken_for(change, parameter, previous)
        return None if meant is None else (Ground.PASSED_OF_OTHER_TYPE, f"; {meant}")
    why = _HELD if callers.held else "no changed caller passes it yet"
    ground = Ground.OVERRIDDEN if callers.unseen else Ground.NOT_PASSED_YET
    return ground, f", which this override does not take; {why}"


def _takes_by_place(change: ChangedFunction, parameter: Parameter) -> bool:
    """Whether ours takes by place, under a name of its own, what upstream took whatever it was called."""
    place = place_of(change.new, parameter.name) if change.old.has("*") else None
    if place is None or place >= len(change.ours.positional):
        return place is not None and change.ours.has("*")
    return change.ours.positional[place].name not in change.new.names


def _overflow(change: ChangedFunction, name: str, running: list[Call]) -> Call | None:
    """A call that passes a parameter by place, and more than ours takes."""
    position = place_of(change.new, name)
    if position is None or change.ours.has("*"):
        return None
    most = max(position, len(change.ours.positional))
    return next((c for c in running if c.positional > most), None)


def _lost(
    contract: Contract, change: ChangedFunction, parameter: Parameter, callers: Callers
) -> Iterator[Finding]:
    mine = change.ours.get(parameter.name) or _in_its_place(change, parameter)
    if mine is None or not mine.required:
        return
    named = "" if mine.name == parameter.name else f" as {mine.name}"
    reason = f"{change.symbol}() lost {parameter.name}, which this override requires{named}"
    ground = Ground.SIGNATURE_REQUIRES
    if callers.held:
        reason += f"; {_HELD}"
        ground = Ground.OVERRIDDEN
    elif callers.unseen:
        reason += "; all that is seen to call it is overridden here, or calls the base class's by name"
        ground = Ground.OVERRIDDEN
    # Whether all that is seen to call it passes enough, if by place, for what is required here.
    elif callers.running and all(not c.starred and fits(change.ours, c) for c in callers.running):
        reason += f"; what upstream passes by place still fits ({shown(callers.running[0])})"
        ground = Ground.STILL_FITTING
    elif is_given_by_place(change, mine, callers.running):
        reason += f"; upstream passes something by place for it ({shown(callers.running[0])})"
        ground = Ground.STILL_FITTING
    elif change.new.has("*" if mine.kind != "key" else "**") and _may_be_passed(change.ours, callers):
        reason += "; but it takes whatever is passed now, and may be given that"
        ground = Ground.STILL_FITTING
    yield Finding(
        contract, ChangeKind.PARAMETER_REMOVED, change.symbol, ground, reason, subject=parameter.name,
        details=described(change, change.old, parameter),
    )  # fmt: skip


def _in_its_place(change: ChangedFunction, parameter: Parameter) -> Parameter | None:
    """Return what ours takes by place where upstream took an optional parameter of another name, and takes
    nothing now. What a constructor takes, its class's own makers know."""
    constructs = change.symbol.endswith(".__init__")
    place = None if constructs or parameter.required else place_of(change.old, parameter.name)
    if place is None or not len(change.new.positional) <= place < len(change.ours.positional):
        return None
    mine = change.ours.positional[place]
    return mine if mine.name not in change.old.names | change.new.names else None


def _may_be_passed(ours: Signature, callers: Callers) -> bool:
    """Whether no caller is seen, or one that passes enough for ours: the others may know who takes what."""
    return not callers.running or any(c.starred or fits(ours, c) for c in callers.running)


def _swallows(ours: Signature, parameter: Parameter) -> bool:
    """Whether the ``*args`` here take a parameter that is passed by place."""
    return ours.has("*") and parameter.kind in ("pos", "any")


def _reordered(
    contract: Contract, change: ChangedFunction, passing: list[Call], running: list[Call]
) -> Iterator[Finding]:
    old = [p.name for p in change.old.positional if change.new.get(p.name) is not None]
    new = [p.name for p in change.new.positional if change.old.get(p.name) is not None]
    mine = [p.name for p in change.ours.positional]
    if old == new or sorted(old) != sorted(new):
        return
    if [n for n in mine if n in old] != old:
        return
    moved = next(a for a, b in zip(old, new, strict=True) if a != b)
    reason = f"{change.symbol}() changed the order of its parameters: {', '.join(new)}"
    ground = Ground.ORDER_CHANGED
    first = place_of(change.new, next(b for a, b in zip(old, new, strict=True) if a != b)) or 0
    if passing and not any(c.starred or c.positional > first for c in running):
        ground = Ground.CALLERS_FIT
        reason += "; no changed caller passes them by place"
    yield Finding(contract, ChangeKind.PARAMETER_REORDERED, change.symbol, ground, reason, subject=moved)


def _misplaced(contract: Contract, change: ChangedFunction, pair: Comparison) -> Iterator[Finding]:
    """All parameters are taken, but what upstream passes by place lands in another one here."""
    was, now = ([p.name for p in signature.positional] for signature in (change.old, change.new))
    mine = [p.name for p in change.ours.positional]
    for index, name in enumerate(now):
        if name not in mine or name not in was or mine.index(name) == index:
            continue
        if was.index(name) != mine.index(name):
            continue
        call = next((c for c in running_calls(change, pair) if c.positional > index), None)
        if call is not None:
            reason = (
                f"{change.symbol}() takes {name} as positional argument {index + 1} now, and upstream passes "
                f"it so ({shown(call)}); here that is {mine[index] if index < len(mine) else 'none'}"
            )
            yield Finding(
                contract, ChangeKind.PARAMETER_REORDERED, change.symbol, Ground.NEWLY_PASSED, reason,
                subject=name,
            )  # fmt: skip
            return
