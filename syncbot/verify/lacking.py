"""Finds where upstream trees do not satisfy a project: each tree is judged on its own, then compared with
others to find what no single tree shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from syncbot.api.cache import package_digest
from syncbot.errors import EnvironmentFailure
from syncbot.impact.caching.analysis_cache import question
from syncbot.impact.trees import Trees
from syncbot.sealed_values import keep, recall
from syncbot.upstream.model import Meter, no_meter
from syncbot.verify.violations import Judged, Violation, alone, held_against

#: Against which trees each one is held, by their names, once it is known what each lacks by itself.
References = Callable[[Mapping[str, Sequence[Violation]]], Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Lacking:
    """The places that a tree certainly breaks, and those that analysis cannot settle; each place once."""

    breaks: tuple[Violation, ...]
    at_risk: tuple[Violation, ...]


def lacking(
    trees: Trees,
    commits: Mapping[str, str],
    references: References,
    cache: Path,
    meter: Meter = no_meter,
) -> Mapping[str, Lacking]:
    """Return by name what the trees of some commits lack. What is known below ``cache`` is not looked for
    again. Raises EnvironmentFailure."""
    kept = _Kept(trees, cache)
    own = {}
    for number, (name, commit) in enumerate(commits.items()):
        meter("judging trees", number, 2 * len(commits))
        own[name] = kept.own(commit)
    others = references({name: each.breaks for name, each in own.items()})
    held: dict[str, list[Judged]] = {name: [] for name in commits}
    # What the sources rely on in one tree is found once for all that are held against it.
    pairs = [(other, name) for other in commits for name in commits if other in others.get(name, ())]
    for number, (other, name) in enumerate(pairs):
        meter("judging trees", len(commits) + number, len(commits) + len(pairs))
        held[name].append(kept.held(commits[other], commits[name], other))
    meter("judging trees", len(commits) + len(pairs), len(commits) + len(pairs))
    return {name: _together(own[name], held[name]) for name in commits}


def all_others(names: Collection[str]) -> Mapping[str, Sequence[str]]:
    """Hold each tree against every other one."""
    return {name: [other for other in names if other != name] for name in names}


def _together(own: Judged, held: Sequence[Judged]) -> Lacking:
    found = list(own.breaks)
    for each in held:
        known = {(v.file, v.line) for v in found}
        found += [v for v in each.breaks if (v.file, v.line) not in known]
    places = {(v.file, v.line) for v in found}
    risks = {(v.file, v.line): v for each in (own, *held) for v in each.at_risk}
    return Lacking(tuple(sorted(found)), tuple(sorted(v for at, v in risks.items() if at not in places)))


class _Kept:
    """The answers, from disk where they are known. A cache that cannot be written is no error."""

    def __init__(self, trees: Trees, cache: Path) -> None:
        self._trees, self._folder = trees, cache / "analyses"
        self._code = package_digest("verify/violations.py")

    def own(self, commit: str) -> Judged:
        path = self._path("own", commit)
        known = recall(self._folder.parent, path)
        if known is not None:
            return msgspec.msgpack.decode(known, type=Judged)
        found = alone(self._trees, commit)
        self._keep(path, found)
        return found

    def held(self, other: str, commit: str, name: str) -> Judged:
        path = self._path("held", other, commit, name)
        known = recall(self._folder.parent, path)
        if known is not None:
            return msgspec.msgpack.decode(known, type=Judged)
        found = held_against(self._trees, other, commit, name)
        self._keep(path, found)
        return found

    def _path(self, what: str, *parts: str) -> Path:
        trees = self._trees
        versions = [str(version) for version in trees.versions(parts[0], parts[-1 if what == "own" else 1])]
        asked = question(
            trees.backend, trees.packages, trees.knowledge, trees.repository.limits.key,
            self._code, what, *parts, *versions,
        )  # fmt: skip
        return self._folder / f"{asked}.msgpack"

    def _keep(self, path: Path, found: object) -> None:
        with suppress(EnvironmentFailure):
            keep(self._folder.parent, path, msgspec.msgpack.encode(found))
