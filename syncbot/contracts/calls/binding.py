"""Calls that bound to an old signature, compared with a new one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from syncbot.api.expressions import expression
from syncbot.api.model import Parameter
from syncbot.api.signatures import Arguments, Signature, bind
from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding

# Names that are more alike than this are forms of one word.
_ALIKE = 0.75


def compare_binding(
    contract: Contract,
    symbol: str,
    callee: str,
    arguments: Arguments,
    before: Sequence[Signature],
    after: Sequence[Signature],
) -> Iterator[Finding]:
    """Why arguments that bound to ``before`` no longer bind to ``after``, or bind to other parameters.
    ``symbol`` is called; reasons say ``callee``."""
    if not before or not after or all(bind(s, arguments) for s in before):
        return
    if all(bind(s, arguments) for s in after):
        yield from _unbound(contract, symbol, callee, arguments, before[-1], after[-1])
    else:
        yield from _reordered(contract, symbol, callee, arguments, before[-1], after[-1])


def _unbound(
    contract: Contract, symbol: str, callee: str, arguments: Arguments, old: Signature, new: Signature
) -> Iterator[Finding]:
    renames, inserted = _renames(old, new), _inserted(old, new)
    for problem in bind(new, arguments):
        subject, renamed = problem.name, None
        if problem.kind == "unexpected":
            renamed = renames.get(problem.name)
            kind = ChangeKind.PARAMETER_RENAMED if renamed else ChangeKind.PARAMETER_REMOVED
            reason = f"{callee} no longer takes {problem.name}"
            reason += f"; it takes {renamed} instead" if renamed else ""
        elif problem.kind == "missing":
            known = old.get(problem.name)
            added = inserted if known is not None and known.required else None
            subject = added or problem.name
            newly = known is not None and added is None
            kind = ChangeKind.PARAMETER_REQUIRED if newly else ChangeKind.PARAMETER_ADDED
            reason = f"{callee} now requires {subject}"
            if added:
                reason += f", which takes the place of what follows: {problem.name} is missing"
        elif problem.kind == "twice":
            kind = ChangeKind.PARAMETER_REORDERED
            reason = f"{callee} now takes {problem.name} where a positional argument stands: it comes twice"
        else:
            kind = ChangeKind.PARAMETER_REMOVED
            reason = f"{callee} now takes at most {problem.name} positional arguments"
            reason += _why_fewer(old, new, arguments)
        yield Finding(
            contract, kind, symbol, Ground.CALL_DOES_NOT_BIND, reason, subject=subject,
            details=ArgumentDetails(argument=problem.name, new_name=renamed),
        )  # fmt: skip


def _why_fewer(old: Signature, new: Signature, arguments: Arguments) -> str:
    """Return what became of the parameters that a call passes by place and that are not taken so any more."""
    passed = [p.name for p in old.positional[: arguments.positional]]
    gone = [name for name in passed if new.get(name) is None]
    if gone:
        return f": {', '.join(gone)} {'is' if len(gone) == 1 else 'are'} gone"
    places = {p.name for p in new.positional}
    by_name = [name for name in passed if name not in places]
    return f": {', '.join(by_name)} can be passed by name only" if by_name else ""


def renamed_by_place(old: Signature, new: Signature) -> dict[str, str]:
    """New names of parameters to their old ones: same place, the old name gone, the new one new."""
    if len(old.positional) != len(new.positional):
        return {}
    pairs = zip(old.positional, new.positional, strict=True)
    return {now.name: was.name for was, now in pairs if not (new.get(was.name) or old.get(now.name))}


def renamed_in_place(old: Signature, new: Signature) -> dict[str, str]:
    """Old names of parameters to the new ones that stand in their places, with the same default."""
    pairs = zip(old.parameters, new.parameters, strict=False)
    return {
        was.name: now.name
        for was, now in pairs
        if not (new.get(was.name) or old.get(now.name)) and (was.kind, was.default) == (now.kind, now.default)
    }


def _inserted(old: Signature, new: Signature) -> str | None:
    """The first required positional parameter that is new and stands before known ones."""
    known = {p.name for p in old.positional}
    for index, parameter in enumerate(new.positional):
        if parameter.name not in known:
            follows = any(p.name in known for p in new.positional[index + 1 :])
            return parameter.name if follows and parameter.required else None
    return None


def _renames(old: Signature, new: Signature) -> dict[str, str]:
    """The names that vanished parameters have now, where their place or annotation and default say so."""
    gone = [(at, p) for at, p in enumerate(old.parameters) if new.get(p.name) is None]
    come = [(at, p) for at, p in enumerate(new.parameters) if old.get(p.name) is None]
    pairs = zip(gone, come, strict=True) if len(gone) == len(come) else ()
    return {
        was.name: now.name
        for (before, was), (after, now) in pairs
        if before == after
        or (was.annotation is not None and (was.annotation, was.default) == (now.annotation, now.default))
    }


def _reordered(
    contract: Contract, symbol: str, callee: str, arguments: Arguments, old: Signature, new: Signature
) -> Iterator[Finding]:
    olds, news = old.positional, new.positional
    old_names, new_names = {p.name for p in olds}, {p.name for p in new.positional}
    passed = (*arguments.named, *("",) * arguments.positional)
    for index, (was, now) in enumerate(zip(olds[: arguments.positional], news, strict=False)):
        if was.name == now.name or _is_alias(was, now, old, new):
            continue
        later = [p for p in news[index + 1 :] if p.name not in old_names]
        if not (was.name in new_names or now.name in old_names) and not _is_rather(was, now, later):
            continue
        if not _meant(passed[index], was, now):
            reason = f"positional argument {index + 1} of {callee} was {was.name} and is now {now.name}"
            yield Finding(
                contract, ChangeKind.PARAMETER_REORDERED, symbol, Ground.LANDS_ELSEWHERE, reason,
                subject=was.name,
            )  # fmt: skip
        return


def _is_rather(was: Parameter, now: Parameter, later: Sequence[Parameter]) -> bool:
    """Whether a lost parameter became a new one that follows, not the one in its place: its name says so."""
    likeness = [SequenceMatcher(None, was.name, p.name).ratio() for p in (now, *later)]
    return max(likeness[1:], default=0.0) > max(likeness[0], _ALIKE)


def _is_alias(was: Parameter, now: Parameter, old: Signature, new: Signature) -> bool:
    """Whether a parameter was renamed in its place and its old name is kept, further on, for who passes it by
    name: with another default, which says that nothing was given."""
    kept = new.get(was.name)
    if kept is None or old.get(now.name) is not None or was.default is None:
        return False
    same = (was.default, was.annotation) == (now.default, now.annotation)
    return same and kept.default != was.default and _says_nothing(kept.default)


def _says_nothing(default: str | None) -> bool:
    """Whether a default is None, an ellipsis or a name that stands for nothing given, and not a value."""
    match expression(default) if default is not None else None:
        case ast.Constant(value=value):
            return value is None or value is ...
        case ast.Name() | ast.Attribute():
            return True
    return False


def _meant(passed: str, was: Parameter, now: Parameter) -> bool:
    """Whether what is passed was written for the new parameter: by its name, or as a literal of its type."""
    if passed.startswith("<"):
        type_ = passed.strip("<>")
        return type_ in (now.annotation or "") and type_ not in (was.annotation or type_)
    return passed == now.name
