"""The guilty change of every case: hints from the changed lines, confirmed by running the checker."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from syncbot.typecheck.bisect_findings import attribute
from syncbot.typecheck.changed_lines import Change, FilePatch
from syncbot.typecheck.differential import Checker, Task
from syncbot.typecheck.judged_case import Case
from syncbot.typecheck.model import Diagnostic, Engine, Finding, Problem
from syncbot.typecheck.registry import find

_MOST_HINTS = 3
Sides = Mapping[str, tuple[frozenset[Diagnostic], frozenset[Diagnostic]]]


@dataclass(frozen=True, slots=True)
class Guilt:
    """``cases`` with the change that made each; ``lost`` could not be given to any."""

    cases: tuple[tuple[Case, Change], ...]
    lost: tuple[Case, ...]


def attribute_cases(
    cases: Sequence[Case], checker: Checker, history: Sequence[Change], old: str, sides: Sides
) -> Guilt:
    """Each case with its change. The range begins at the first parent of its first change; what is present
    there came before, and is lost."""
    if not cases or not history:
        return Guilt((), tuple(cases))
    engines = {engine.name: engine for engine in find()}
    base = checker.repository.resolve(f"{history[0].sha}^1")
    sure = {case: position for case in cases if (position := only_cause(case, history)) is not None}
    asked = [case for case in cases if case not in sure or base != old]
    signs = {case: _Sign.of(case, engines, sides, checker) for case in asked}
    if checker.environment is not None:
        signs = _lightened(signs, checker, old, history[-1].sha)

    def probe(wanted: Mapping[int, frozenset[Case]]) -> dict[int, frozenset[Case]]:
        asked = [(history[position].sha, cases) for position, cases in wanted.items()]
        return dict(zip(wanted, _present(signs, asked), strict=True))

    early = _present(signs, [(base, frozenset(cases))])[0] if base != old else frozenset()
    open_cases = [case for case in cases if case not in early]
    likely = {case: hints(case, history) for case in open_cases if case not in sure}
    places = sure | attribute(len(history), likely, probe)
    found = tuple((case, history[places[case]]) for case in open_cases)
    return Guilt(found, tuple(case for case in cases if case in early))


def hints(case: Case, history: Sequence[Change]) -> list[int]:
    """The positions of the changes that most likely made a case, best first."""
    paths = {path for module in case.modules for path in _paths(module)}
    scored = []
    for position, change in enumerate(history):
        score = max((_score(case, file, paths) for file in change.files), default=0)
        if score:
            scored.append((-score, -position))
    return [-position for _, position in sorted(scored)[:_MOST_HINTS]]


def only_cause(case: Case, history: Sequence[Change]) -> int | None:
    """The one change that can have made a case, None if several can or none is sure. A proven case is a
    matter of the lines with its words, in the defining file: if one change touched those, no run can say
    more."""
    if not case.proven:
        return None
    paths = {path for module in case.modules for path in _paths(module)}
    found = [p for p, c in enumerate(history) if any(_score(case, f, paths) >= 6 for f in c.files)]
    if len(found) > 1:
        # Of those, only one took the words out for good, or brought them in where they are new.
        found = [p for p in found if any(_settles(case, f, paths) for f in history[p].files)]
    # A file that went elsewhere may have been changed there too.
    moved = [p for p, c in enumerate(history) if any(_leaves(f, paths) for f in c.files)]
    return found[0] if len(found) == 1 and set(moved) <= set(found) else None


def _settles(case: Case, file: FilePatch, paths: set[str]) -> bool:
    gone = case.kind.endswith("-removed") or bool(case.lacks)
    settled = file.removed - file.added if gone else file.added - file.removed
    return set(case.words) <= settled and _score(case, file, paths) >= 6


def _leaves(file: FilePatch, paths: set[str]) -> bool:
    return file.old is not None and file.old != file.new and file.old.endswith(tuple(paths))


def _score(case: Case, file: FilePatch, paths: set[str]) -> int:
    concerned = any(p is not None and p.endswith(tuple(paths)) for p in (file.old, file.new))
    if case.finding.problem is Problem.MODULE_MISSING:
        return 9 if _leaves(file, paths) else 0
    touched = sum(word in file.words for word in case.words)
    if not touched:
        return 0
    whole = 2 if touched == len(case.words) else 1
    return whole + (5 if concerned else 0)


def _paths(module: str) -> tuple[str, ...]:
    if not module:
        return ()
    stem = module.replace(".", "/")
    return f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi"


@dataclass(frozen=True, slots=True)
class _Sign:
    """A case in an engine's output: place, problem and names; the message where the old upstream gave it."""

    engine: Engine
    finding: Finding
    exact: bool
    shows: str
    lacks: str
    checker: Checker

    @staticmethod
    def of(case: Case, engines: Mapping[str, Engine], sides: Sides, checker: Checker) -> _Sign:
        engine = engines[case.finding.engine]
        here = case.finding.diagnostic
        near = [d for d in sides[engine.name][0] if d.file == here.file and d.line == here.line]
        read = [f for d in near if (f := engine.read(d)) is not None]
        known = any(_loose_all(f) & _loose_all(case.finding) for f in read)
        exact = known and not (case.shows or case.lacks)
        return _Sign(engine, case.finding, exact, case.shows, case.lacks, checker)

    def shown_by(self, diagnostics: frozenset[Diagnostic]) -> bool:
        if self.exact:
            return self.finding.diagnostic in diagnostics
        here, wanted = self.finding.diagnostic, _loose_all(self.finding)
        near = (d for d in diagnostics if d.line == here.line and d.file == here.file)
        read = (found for d in near if (found := self.engine.read(d)) is not None)
        return any(wanted & _loose_all(found) and self._agrees(found.theirs) for found in read)

    def _agrees(self, signature: str) -> bool:
        """Whether a printed signature has the parameter that matters; one that is not printed may have it."""
        words = set(re.findall(r"\w+", signature))
        return not signature or ((not self.shows or self.shows in words) and self.lacks not in words)


def _loose_all(finding: Finding) -> set[tuple[object, ...]]:
    place = finding.diagnostic
    subjects = finding.names or (finding.owner,)
    return {(place.file, place.line, finding.problem, subject) for subject in subjects}


def _lightened(signs: Mapping[Case, _Sign], checker: Checker, old: str, new: str) -> dict[Case, _Sign]:
    """The signs, without third-party types where they show all the same: that is many times faster."""
    light = replace(checker, environment=None)
    before = _ask(light, [(old, list(signs.values()))])[0]
    after = _ask(light, [(new, list(signs.values()))])[0]
    return {
        case: replace(sign, checker=light)
        if not sign.exact
        and sign.shown_by(after[sign.engine.name])
        and not sign.shown_by(before[sign.engine.name])
        else sign
        for case, sign in signs.items()
    }


def _ask(
    checker: Checker, asked: Sequence[tuple[str, Sequence[_Sign]]]
) -> list[dict[str, frozenset[Diagnostic]]]:
    """Return, for each commit, the diagnostics of the signs' engines in the files of the signs, by engine."""
    tasks: list[Task] = []
    owners: list[tuple[int, str]] = []
    for index, (commit, signs) in enumerate(asked):
        for name, engine in sorted({sign.engine.name: sign.engine for sign in signs}.items()):
            files = {s.finding.diagnostic.file for s in signs if s.engine.name == name}
            tasks.append(Task(engine, commit, tuple(sorted(files))))
            owners.append((index, name))
    found: list[dict[str, frozenset[Diagnostic]]] = [{} for _ in asked]
    for (index, name), diagnostics in zip(owners, checker.run(tasks), strict=True):
        found[index][name] = diagnostics
    return found


def _present(
    signs: Mapping[Case, _Sign], asked: Sequence[tuple[str, frozenset[Case]]]
) -> list[frozenset[Case]]:
    """Which of the cases that are asked for at each commit show there."""
    present: list[set[Case]] = [set() for _ in asked]
    for checker in {id(sign.checker): sign.checker for sign in signs.values()}.values():
        mine = [(at, {c: signs[c] for c in cases if signs[c].checker is checker}) for at, cases in asked]
        found = _ask(checker, [(at, list(concerned.values())) for at, concerned in mine])
        for shown, (_, concerned), said in zip(present, mine, found, strict=True):
            shown |= {case for case, sign in concerned.items() if sign.shown_by(said[sign.engine.name])}
    return [frozenset(shown) for shown in present]
