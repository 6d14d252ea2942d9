"""Applying patches to sources: which, in which direction, in which order; and nothing silently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from packaging.version import Version

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.file_rewrites import FileRewrites
from syncbot.patching.model import Patch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source

Files: TypeAlias = Mapping[str, str]


class Direction(Enum):
    """Forward follows upstream; backward goes to older versions of it."""

    FORWARD = "forward"
    BACKWARD = "backward"


@dataclass(frozen=True, slots=True)
class Step:
    """One patch to apply, in one direction; ``gone`` are those that it builds on and that are not active."""

    patch: Patch
    direction: Direction
    gone: tuple[str, ...] = ()


def steps(patches: Iterable[Patch], baseline: Version, lane: Version) -> tuple[Step, ...]:
    """Return the active patches that lie between two versions, in the order in which they are applied."""
    active = sorted((p for p in patches if p.status == "active"), key=lambda p: p.order)
    gone = waiting(active)
    if lane < baseline:
        undone = [p for p in active if lane < p.upstream.version <= baseline]
        return tuple(Step(p, Direction.BACKWARD, gone.get(p.id, ())) for p in reversed(undone))
    followed = [p for p in active if baseline < p.upstream.version <= lane]
    return tuple(Step(p, Direction.FORWARD, gone.get(p.id, ())) for p in followed)


def waiting(patches: Iterable[Patch]) -> dict[str, tuple[str, ...]]:
    """Return, by the id of each active patch, the patches that it builds on and that are not active."""
    active = {patch.id: patch.builds_on for patch in patches if patch.status == "active"}
    gone = {name: tuple(other for other in below if other not in active) for name, below in active.items()}
    return {name: others for name, others in gone.items() if others}


def apply_steps(files: Files, todo: Sequence[Step]) -> dict[str, str]:
    """Return the files after the steps. Raises NoMatch if a rewrite changes no file, and CannotRewrite."""
    return Chain().apply(files, todo)


class Chain:
    """Applies steps to the same files several times; what ways have in common at their start is done once,
    and what a ``cache`` has of former runs not at all."""

    def __init__(self, cache: Path | None = None) -> None:
        self._rewrites = FileRewrites(cache)
        self._files: Files = {}
        self._steps: list[Step] = []
        self._states: list[dict[str, Source]] = []

    def apply(self, files: Files, todo: Sequence[Step]) -> dict[str, str]:
        """Return the files after the steps, as ``apply_steps`` does."""
        if not self._states or files != self._files:
            self._files, self._steps = dict(files), []
            self._states = [{path: Source(text, path) for path, text in files.items()}]
        common = 0
        while common < min(len(todo), len(self._steps)) and todo[common] == self._steps[common]:
            common += 1
        del self._steps[common:], self._states[common + 1 :]
        for step in todo[common:]:
            self._states.append(_after(self._states[-1], step, self._rewrites))
            self._steps.append(step)
        for source in (source for state in self._states for source in state.values()):
            source.forget()
        return {path: source.text for path, source in self._states[-1].items()}


def _after(before: Mapping[str, Source], step: Step, rewrites: FileRewrites) -> dict[str, Source]:
    """The sources after one step; those that it leaves alone are the same objects, with their trees."""
    sources = dict(before)
    rules = step.patch.rules()
    forward = step.direction is Direction.FORWARD
    for rule in rules if forward else reversed(rules):
        try:
            changed = _apply(sources, rule, forward, step.patch.id, rewrites)
        except NoMatch:
            if not step.gone:
                raise
            # What it would have changed was to come from a patch that is gone.
            continue
        sources.update((path, Source(text, path)) for path, text in changed.items())
    return sources


def _apply(
    sources: Mapping[str, Source], rule: Rule, forward: bool, patch: str, rewrites: FileRewrites
) -> dict[str, str]:
    """The changed texts of one rule."""
    name = getattr(rule, "name", "code")
    who = f"patch {patch}, rule {name} ({'forward' if forward else 'backward'})"
    changed: dict[str, str] = {}
    reasons: list[str] = []
    for path, source in sources.items():
        if not path.endswith(".py") or not rule.may_change(path, source.text, forward):
            continue
        try:
            text = rewrites.rewritten(rule, source, forward)
        except NoMatch as error:
            reasons.append(str(error))
            continue
        except CannotRewrite as error:
            raise CannotRewrite(f"{who}: {error}") from error
        if text != source.text:
            changed[path] = text
    if not changed:
        why = reasons[0] if len(reasons) == 1 else "the sources no longer hold what it rewrites"
        raise NoMatch(f"{who} matches nothing in {len(sources)} files: {why}; fix or retire the patch")
    return changed
