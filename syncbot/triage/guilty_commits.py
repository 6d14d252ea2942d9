"""From failures to the guilty upstream commits, or to another origin: environment, backend, unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from syncbot.impact.analysis import Analysis
from syncbot.impact.model import Impact, Location
from syncbot.impact.trees import Trees
from syncbot.patching.model import Patch
from syncbot.planning.fixes import planned_fixes, with_fixes
from syncbot.triage.diagnosis import Clue, Diagnosis, Origin
from syncbot.triage.error_questions import questions
from syncbot.triage.kinds import understood
from syncbot.triage.log_paths import KnownFiles, PathMap, Place
from syncbot.triage.matching_impacts import matching
from syncbot.triage.model import Failure, Nature, Raised, Symptom
from syncbot.triage.range_history import RangeHistory
from syncbot.triage.ranked_commits import ranked
from syncbot.triage.tree_inquiry import Inquiry, module_of
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Commit

# From this on a commit is known to be guilty, and git's history is not asked.
_SURE = 0.6
# Frames of upstream whose lines are looked up in the history, innermost ones.
_FRAMES = 6
_SHORTEST = 4


@dataclass
class AnalysedRange:
    """A range in which guilty commits are searched: its analysis, its trees, and the existing patches."""

    trees: Trees
    analysis: Analysis
    patches: Sequence[Patch] = ()
    _read: dict[tuple[str, bool], list[str]] = field(default_factory=dict)

    @cached_property
    def inquiry(self) -> Inquiry:
        """Answers questions along the range."""
        return Inquiry(self.trees, self.analysis.span)

    @cached_property
    def history(self) -> RangeHistory:
        """Git's history of the range."""
        return RangeHistory(self.trees.repository, self.analysis.span)

    @cached_property
    def impacts(self) -> Sequence[Impact]:
        """The impacts, with the rewrites that mend them."""
        span, found = self.analysis.span, self.analysis.impacts
        return with_fixes(found, planned_fixes(self.trees, span.old, span.new, found, cache_dir() / "plans"))

    @cached_property
    def commits(self) -> Mapping[str, Commit]:
        """The commits of the range by sha, newest first."""
        return {commit.sha: commit for commit in self.analysis.span.commits}

    def with_code(self, place: Place) -> Place:
        """A place with its line of source, read from the file where the log does not have it."""
        if place.frame.code:
            return place
        lines, number = self._lines(place), place.frame.line
        code = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return replace(place, frame=replace(place.frame, code=code))

    def _lines(self, place: Place) -> list[str]:
        key = (place.path, place.ours)
        if key not in self._read:
            if place.ours:
                text = next((f.text for f in self.trees.backend.files if f.path == place.path), b"")
            else:
                tree = self.trees.tree(self.analysis.span.new)
                module = module_of(place.path, self.trees.packages)
                text = (tree.source(module) if module is not None else None) or b""
            self._read[key] = text.decode("utf-8", "replace").splitlines()
        return self._read[key]

    @cached_property
    def map(self) -> PathMap:
        """Finds the files that frames name."""
        ours = self.trees.backend
        return PathMap(
            KnownFiles([file.path for file in ours.files], ours.packages),
            KnownFiles(self.upstream_paths, self.trees.packages),
        )

    @cached_property
    def upstream_paths(self) -> set[str]:
        """The paths of upstream's modules at both ends."""
        ends = (self.analysis.span.old, self.analysis.span.new)
        return {path for end in ends for path, _ in self.trees.tree(end).modules.values()}


def diagnosed(case: AnalysedRange, failure: Failure) -> Diagnosis:
    """Whose doing a failure is: its likely cause is tried first, the others where that leads nowhere."""
    best: Diagnosis | None = None
    for error in (failure.error, *(other for other in failure.chain if other is not failure.error)):
        found = _of_error(case, failure, error)
        if best is None or _strength(found) > max(_strength(best), 0.4):
            best = found
        if best.origin is Origin.ENVIRONMENT or _strength(best) >= _SURE:
            break
    assert best is not None
    return best


def environmental(failure: Failure) -> Diagnosis:
    """The origin of a failure as far as its text shows it, without a range."""
    symptom = failure.symptom
    if symptom is not None and symptom.nature is Nature.ENVIRONMENT:
        return Diagnosis(failure, Origin.ENVIRONMENT, note=symptom.note)
    return Diagnosis(failure, Origin.UNKNOWN)


def _strength(diagnosis: Diagnosis) -> float:
    return diagnosis.guilty[0].strength if diagnosis.guilty else 0.0


def _of_error(case: AnalysedRange, failure: Failure, error: Raised) -> Diagnosis:
    symptom = understood(error)
    places = [case.with_code(place) for place in case.map.placed(error.frames)]
    ours = next((place for place in reversed(places) if place.ours), None)
    place = Location(ours.path, ours.frame.line) if ours is not None else None
    if symptom is not None and symptom.nature is Nature.ENVIRONMENT:
        return Diagnosis(failure, Origin.ENVIRONMENT, (), place, symptom.note)
    if symptom is not None and _is_hidden(case, symptom, error):
        package = symptom.subject.partition(".")[0]
        note = (
            f"a folder, file or other version of {package} hides the one of the range: run in another folder"
        )
        return Diagnosis(failure, Origin.ENVIRONMENT, (), place, note)
    guilty = ranked(_clues(case, symptom, places), case.commits, case.patches)
    if guilty:
        place = place or next((i.locations[0] for i in guilty[0].impacts if i.locations), None)
        return Diagnosis(failure, Origin.UPSTREAM, guilty, place)
    origin, note = _otherwise(case, symptom, places)
    return Diagnosis(failure, origin, (), place, note)


def _clues(case: AnalysedRange, symptom: Symptom | None, places: Sequence[Place]) -> Iterator[Clue]:
    """What speaks against commits of the range. Git's history is asked where nothing else is sure."""
    if symptom is not None and _is_foreign(case, symptom):
        # Upstream may have begun to use the package just there; what called it does not matter.
        yield from _written(case, places[-1:])
        return
    found = list(matching(case.impacts, symptom, places))
    if symptom is not None:
        found += case.inquiry.clues(questions(case.inquiry, symptom, places))
    yield from found
    if not any(clue.strength >= _SURE for clue in found):
        yield from _written(case, places)
        if symptom is not None:
            yield from _mentioned(case, symptom, places)


def _written(case: AnalysedRange, places: Sequence[Place]) -> Iterator[Clue]:
    """The commits of the range that wrote the lines of upstream's frames; the nearer, the stronger."""
    theirs = [place for place in reversed(places) if not place.ours][:_FRAMES]
    wanted: dict[str, set[int]] = {}
    for place in theirs:
        wanted.setdefault(place.path, set()).add(place.frame.line)
    innermost = bool(places) and not places[-1].ours
    for distance, place in enumerate(theirs):
        sha = case.history.wrote(place.path, wanted[place.path]).get(place.frame.line)
        if sha is not None:
            strength = (0.55 if innermost else 0.4) * 0.75**distance
            reason = f"wrote {place.path}:{place.frame.line}, a line of the traceback"
            yield Clue(sha, strength, reason, "lines")


def _mentioned(case: AnalysedRange, symptom: Symptom, places: Sequence[Place]) -> Iterator[Clue]:
    """The commits that changed how often the names of an error occur, first where it was running."""
    near = list(dict.fromkeys(place.path for place in places if not place.ours))
    for name in symptom.names:
        if len(name) < _SHORTEST or not name.isidentifier():
            continue
        found = case.history.changing(name, near) if near else []
        strength, where = 0.45, "in a file of the traceback"
        if not found:
            tops = sorted({path.partition("/")[0] for path in case.upstream_paths})
            found, strength, where = case.history.changing(name, tops), 0.3, "in another file"
        for sha in found:
            weight = strength / len(found) ** 0.5
            yield Clue(sha, weight, f"adds or removes {name} {where}", "text")


def _is_foreign(case: AnalysedRange, symptom: Symptom) -> bool:
    """Whether an error is about a package that is neither upstream nor the backend."""
    module = symptom.of_module or symptom.kind in ("no-module", "cannot-import")
    return module and symptom.subject.partition(".")[0] not in {
        *case.trees.packages,
        *case.trees.backend.packages,
    }


def _is_hidden(case: AnalysedRange, symptom: Symptom, error: Raised) -> bool:
    """Whether Python found something else under the name of an upstream module: it lacks what the module has
    at both ends of the range, or is a folder without the ``__init__.py`` that the package has there."""
    if not (symptom.of_module or symptom.kind == "cannot-import") or "partially" in error.message:
        return False
    ends = [case.trees.tree(end) for end in (case.analysis.span.old, case.analysis.span.new)]
    if any(not tree.exists(symptom.subject) for tree in ends):
        return False
    name = f"{symptom.subject}.{symptom.names[0]}"
    found = [case.trees.universe(tree).resolve(name) for tree in ends]
    paths = [tree.modules.get(symptom.subject, ("", ""))[0] for tree in ends]
    empty = "(unknown location)" in error.message and all(p.endswith("/__init__.py") for p in paths)
    return empty or all(each is not None and each.kind != "unknown" for each in found)


def _otherwise(case: AnalysedRange, symptom: Symptom | None, places: Sequence[Place]) -> tuple[Origin, str]:
    """The origin of a failure for which no commit of the range is suspected, and the reason."""
    if symptom is not None and _is_foreign(case, symptom):
        package = symptom.subject.partition(".")[0]
        note = f"the package {package} is missing, or its version does not fit: run syncbot doctor"
        return Origin.ENVIRONMENT, note
    if symptom is not None and symptom.kind == "operator" and len(symptom.names) == 1:
        note = (
            f"no source registers {symptom.subject}: its compiled library is missing, or of another version"
        )
        return Origin.ENVIRONMENT, note
    if symptom is not None and symptom.nature is Nature.INTERFACE and places and all(p.ours for p in places):
        note = "the traceback has only the backend's own code, and no change of the range concerns it"
        return Origin.BACKEND, note
    if case.history.is_exhausted:
        return Origin.UNKNOWN, "too many failures to search the history for this one too: triage it alone"
    return Origin.UNKNOWN, "no commit of the range explains it: widen it with --from and --to"
