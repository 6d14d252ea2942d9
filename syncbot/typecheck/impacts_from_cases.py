"""From cases with their guilty changes to impacts: one an upstream fact, with every line it meets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from syncbot.contracts.changes import AnyDetails, ChangeKind, CheckerDetails, NameDetails, NoDetails
from syncbot.contracts.sources import Backend
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.typecheck.changed_lines import Change, FilePatch
from syncbot.typecheck.judged_case import Case
from syncbot.upstream.model import Commit

_ORDER = list(Verdict)
_MOST_LINES = 40


def impacts(
    guilty: Sequence[tuple[Case, Change]],
    history: Sequence[Change],
    commits: Mapping[str, Commit],
    backend: Backend,
) -> tuple[Impact, ...]:
    """The impacts, worst and surest first; cases of one commit, symbol, kind and verdict are one impact."""
    tests = {file.path for file in backend.files if file.is_test}
    groups: dict[tuple[object, ...], list[tuple[Case, Change]]] = {}
    for case, change in guilty:
        in_tests = case.finding.diagnostic.file in tests
        key = (change.sha, case.symbol, case.kind, case.verdict, in_tests, _about(case))
        groups.setdefault(key, []).append((case, change))
    found = [_impact(group, commits, tests) for group in groups.values()]
    return tuple(sorted(found, key=lambda i: (_ORDER.index(i.verdict), -i.confidence, i.locations, i.symbol)))


def _about(case: Case) -> str:
    """The parameter concerned, where one function may have several."""
    return case.finding.names[0] if case.kind.startswith("parameter") and case.finding.names else ""


def _impact(group: Sequence[tuple[Case, Change]], commits: Mapping[str, Commit], tests: set[str]) -> Impact:
    case, change = max(group, key=lambda pair: pair[0].confidence)
    places = sorted({Location(d.file, d.line, d.column) for c, _ in group for d in [c.finding.diagnostic]})
    commit = commits.get(change.sha)
    kind, message = case.kind, case.message
    names = case.finding.names
    details: AnyDetails = CheckerDetails(name=names[0]) if names else NoDetails()
    moved = _moved(case, change)
    if moved:
        gone = kind is ChangeKind.MODULE_REMOVED
        kind = ChangeKind.MODULE_MOVED if gone else ChangeKind.SYMBOL_MOVED
        message = f"{message}; it moved to {moved}"
        details = NameDetails(old=case.symbol, new=moved)
    identity = f"{change.sha}\0{case.symbol}\0{kind}\0{_about(case)}\0{places[0].file in tests}"
    return Impact(
        id=hashlib.sha256(identity.encode()).hexdigest()[:12],
        commit=change.sha,
        pr=commit.pr if commit else None,
        symbol=case.symbol,
        kind=kind,
        verdict=case.verdict,
        locations=tuple(places),
        message=message + ".",
        engines=tuple(sorted({name for c, _ in group for name in c.engines})),
        confidence=round(case.confidence, 2),
        tests_only=all(place.file in tests for place in places),
        upstream_hunk=_hunk(case, change),
        details=details,
        ground=case.ground,
    )


def _moved(case: Case, change: Change) -> str | None:
    """Where a module or a name of a module went within the guilty change."""
    if case.kind is ChangeKind.MODULE_REMOVED:
        stem = case.symbol.replace(".", "/")
        for file in change.files:
            if file.old and file.new and file.old != file.new and _module_stem(file.old).endswith(stem):
                root = _module_stem(file.old)[: -len(stem)]
                return _module_stem(file.new).removeprefix(root).replace("/", ".")
        return None
    if case.kind is not ChangeKind.SYMBOL_REMOVED:
        return None
    name = case.symbol.rpartition(".")[2]
    defined = re.compile(
        rf"^\+(?:class|def|async def) {re.escape(name)}\b|^\+{re.escape(name)}\s*(?::[^=]*)?=", re.MULTILINE
    )
    homes = [f.new for f in change.files if f.new and any(defined.search(hunk) for hunk in f.hunks)]
    if len(homes) != 1:
        return None
    stem = _module_stem(homes[0])
    package = case.symbol.partition(".")[0]
    at = f"/{stem}/".find(f"/{package}/")
    return f"{stem[at:].replace('/', '.')}.{name}" if at >= 0 else None


def _module_stem(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__")


def _hunk(case: Case, change: Change) -> str:
    """The hunk of the guilty change that says most about the case."""
    best, best_score = "", 0
    for file in change.files:
        near = any(_stem_is(file, module) for module in case.modules)
        for hunk in file.hunks or ("",):
            score = (2 if near else 0) + sum(
                re.search(rf"\b{re.escape(w)}\b", hunk) is not None for w in case.words
            )
            if score > best_score:
                head = f"--- {file.old or '/dev/null'}\n+++ {file.new or '/dev/null'}\n"
                best, best_score = head + "\n".join(hunk.splitlines()[:_MOST_LINES]), score
    return best


def _stem_is(file: FilePatch, module: str) -> bool:
    stem = module.replace(".", "/")
    return bool(stem) and any(p is not None and _module_stem(p).endswith(stem) for p in (file.old, file.new))
