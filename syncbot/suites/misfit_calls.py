"""Rules for calls that do not fit: what a test calls in the old way, and stand-ins that take the old way."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from syncbot.api.signatures import Arguments, Signature, bind
from syncbot.patching import registry
from syncbot.patching.registry import Rule
from syncbot.suites.case import Case, Shown
from syncbot.suites.failing_code import expression_at, is_plain
from syncbot.suites.lane_sources import LaneSources
from syncbot.verify.suite.outcomes import Frame

_CALLED = r"^(?P<called>[\w.<>]+)\(\) "
_UNEXPECTED = re.compile(_CALLED + r"got an unexpected keyword argument '(?P<name>\w+)'")
_MISSING = re.compile(_CALLED + r"missing \d+ required (?:positional|keyword-only) arguments?: (?P<names>.+)")
_TOO_MANY = re.compile(
    _CALLED + r"takes (?:from \d+ to )?\d+ positional arguments? but (?P<given>\d+) (?:was|were)"
)
_OTHER = re.compile(_CALLED + r"got (?:multiple values for|some positional-only)")
_LOCAL = ".<locals>."


@dataclass(frozen=True, slots=True)
class _Misfit:
    """An error about a call: the callable, and the argument that it does not take, the ones that are missing,
    or how many were given by position, the receiver included. Other errors have only the callable."""

    called: str
    unexpected: str = ""
    missing: Collection[str] = ()
    given: int = 0

    def fits(self, signature: Signature, is_method: bool) -> bool:
        """Whether the call of the error fits a signature, as far as the error tells."""
        if self.unexpected:
            return signature.has("**") or self.unexpected in signature.names
        if self.missing:
            return not any(p.required and p.name in self.missing for p in signature.parameters)
        return signature.has("*") or self.given <= len(signature.positional) + is_method

    def said(self, signature: Signature) -> str:
        """Return in words how a signature does not fit the call."""
        if self.unexpected:
            return f"no longer takes {self.unexpected}"
        if self.missing:
            return f"requires {', '.join(self.missing)} now"
        return f"takes {signature} now"


def misfit(case: Case) -> Shown | None:
    """A call that does not fit what it calls."""
    told = _told(case.cause.message) if case.kind == "TypeError" else None
    frame = case.frame
    if told is None or frame is None:
        return None
    known = case.lane.callables(told.called) if _LOCAL not in told.called else []
    if not known:
        return _of_stand_in(case, told)
    if case.is_of_test(frame):
        return _of_test(case, told, known)
    if case.is_of_plugin(frame) and not _defined_by_tests(case, told.called):
        return _of_plugin(case, frame, told, known)
    return None


def _told(message: str) -> _Misfit | None:
    if (found := _UNEXPECTED.match(message)) is not None:
        return _Misfit(found["called"], unexpected=found["name"])
    if (found := _MISSING.match(message)) is not None:
        return _Misfit(found["called"], missing=tuple(re.findall(r"'(\w+)'", found["names"])))
    if (found := _TOO_MANY.match(message)) is not None:
        return _Misfit(found["called"], given=int(found["given"]))
    found = _OTHER.match(message)
    return _Misfit(found["called"]) if found is not None else None


def _of_test(case: Case, told: _Misfit, known: Sequence[str]) -> Shown | None:
    """Return ``pins`` where a test calls upstream, or the plugin's function that follows it, as before."""
    if not (told.unexpected or told.missing or told.given):
        return None
    reasons: dict[str, tuple[Rule, ...]] = {}
    for name in known:
        if not _fits(case.release, name, told) or _fits(case.lane, name, told):
            # Another one of that name: the call fits it, or never did.
            continue
        upstream = name if case.lane.is_upstream(name) else _followed(case, name, told)
        if upstream is None:
            return None
        said = told.said(case.lane.signatures(upstream)[-1])
        own = "" if upstream == name else f", which {name} follows"
        reason = f"the test calls {upstream}() in the old way: it {said}{own}"
        reasons[reason] = _without(name, told.unexpected) if told.unexpected else ()
    return Shown("pins", *reasons.popitem()) if len(reasons) == 1 else None


def _without(name: str, argument: str) -> tuple[Rule, ...]:
    """The rewrite of calls that leaves out an argument."""
    removed = registry.find("call_argument_removed")
    return (removed.model_validate({"callee": name, "argument": argument}),)


def _fits(end: LaneSources, name: str, told: _Misfit) -> bool:
    is_method = end.class_(name) is not None or end.class_(name.rpartition(".")[0]) is not None
    return any(told.fits(signature, is_method) for signature in end.signatures(name))


def _followed(case: Case, name: str, told: _Misfit) -> str | None:
    """Return the upstream function that the plugin's function follows, if it took the call before and no
    longer does: the one that it overrides, or one that has the same parameters at both ends."""
    above, before = case.lane.follows(name), case.release.follows(name)
    if above is None or before is None:
        # A class is often called as upstream's, with something before.
        alike = sorted(_alike(case, name), key=lambda each: not _owner(name).endswith(_owner(each)))
        return alike[0] if alike else None
    takes_it = not case.lane.signatures(above) or _fits(case.lane, above, told)
    return above if not takes_it and _fits(case.release, before, told) else None


def _owner(name: str) -> str:
    return name.rpartition(".")[0].rpartition(".")[2]


def _alike(case: Case, name: str) -> Iterator[str]:
    """The functions of upstream of the same last name that take what a function takes, at both ends."""
    taken, took = _parameters(case.lane, name), _parameters(case.release, name)
    last = name.rpartition(".")[2]
    methods = (f"{holder.name}.{last}" for holder in case.lane.holders(last))
    for other in (*(symbol.name for symbol in case.lane.named(last)), *methods):
        same = _parameters(case.lane, other) == taken and _parameters(case.release, other) == took
        if same and taken and took and case.lane.is_upstream(other):
            yield other


def _parameters(end: LaneSources, name: str) -> list[tuple[str, str]]:
    signatures = end.signatures(name)
    return [(each.name, each.kind) for each in signatures[-1].parameters] if signatures else []


def _of_stand_in(case: Case, told: _Misfit) -> Shown | None:
    """Return ``pins`` where a test's stand-in refuses a call that the real function takes; else None."""
    frame = next((each for each in reversed(case.cause.frames) if not case.is_of_test(each)), None)
    real = case.lane.called(frame) if frame is not None and case.is_known(frame) else None
    if real is None or frame is None:
        return None
    call, name, signatures = real
    if not is_plain(call) or not any(_binds(signature, call) for signature in signatures):
        return None
    put = f"{told.called}(), which the test put there, does not take that"
    return Shown("pins", f"{frame.file} calls {name}() as it is; {put}")


def _of_plugin(case: Case, frame: Frame, told: _Misfit, known: Sequence[str]) -> Shown | None:
    """Return ``lane`` where the plugin writes a call with all its arguments and the real function does not
    take them; else None."""
    found = expression_at(case.lane.text(frame.file), frame)
    if found is None or not isinstance(found[0], ast.Call) or not is_plain(found[0]):
        return None
    real = case.lane.called(frame)
    if real is not None:
        _, name, signatures = real
        wrong = bool(signatures) and not any(_binds(signature, found[0]) for signature in signatures)
    else:
        name = known[0]
        wrong = not any(_fits(case.lane, each, told) for each in known)
    return Shown("lane", f"{frame.file} calls {name}() in a way that it does not take") if wrong else None


def _binds(signature: Signature, call: ast.Call) -> bool:
    return not bind(signature, Arguments.of(call))


def _defined_by_tests(case: Case, called: str) -> bool:
    head = called.partition(".")[0]
    pattern = re.compile(rf"^\s*(?:class|(?:async\s+)?def) {re.escape(head)}\b".encode(), re.MULTILINE)
    return any(pattern.search(text) for text in case.texts_of_tests)
