"""One upstream symbol: its history over versions and commits, and who relies on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version

from syncbot.contracts.surface import Row
from syncbot.errors import UsageError
from syncbot.explain.reliance import LaneState, contracts_on, lanes_with, patches_on
from syncbot.explain.symbol_history import State, Step, over_commits, over_versions, state_of
from syncbot.impact.trees import Trees
from syncbot.lanes.matrix import Matrix
from syncbot.patching.model import Patch
from syncbot.upstream.git_repository import GitRepository


@dataclass(frozen=True, slots=True)
class Range:
    """From ``old`` (None: the beginning) to ``new``, by single commits if ``commits``; we rely on ``at``."""

    old: str | None
    new: str
    at: str
    commits: bool


@dataclass(frozen=True, slots=True)
class Biography:
    """``versions`` are the releases with the symbol's state, oldest first (None: not there); ``steps`` the
    commits that changed its interface, newest first, out of ``touched``; ``names`` what it went by."""

    symbol: str
    state: State
    versions: tuple[tuple[str, State | None], ...]
    steps: tuple[Step, ...]
    touched: int
    names: tuple[str, ...]
    contracts: tuple[Row, ...]
    lanes: tuple[LaneState, ...]
    patches: tuple[Patch, ...]


def explain_symbol(
    trees: Trees, name: str, where: Range, matrix: Matrix | None, patches: Sequence[Patch]
) -> Biography:
    """The history of a symbol and what relies on it. Raises UsageError for one that was never there."""
    versions = over_versions(trees, name, _tags(trees.repository, where.old, where.new))
    steps: list[Step] = []
    touched, names = 0, [name]
    # A module's history is that of its file, which git tells.
    if where.commits and not trees.tree(where.new).exists(name):
        try:
            found, touched, former = over_commits(trees, name, where.old, where.new)
        except UsageError:
            if not any(state for _, state in versions):
                raise
        else:
            steps, names = found, [*names, *former]
    states = [state for _, state in reversed(versions) if state is not None]
    names = list(dict.fromkeys([*names, *(state.name for state in states)]))
    state = _newest(trees, names, where.new) or next(iter(states), None) or _last(trees, steps, names)
    if state is None:
        raise UsageError(
            f"none of the examined versions has {name}: spell it as it is imported, such as "
            "package.module.Name, or name other versions with --from and --to"
        )
    universe = trees.universe(trees.tree(where.at))
    found_at = trees.universe(trees.tree(where.new)).resolve(state.name) or universe.resolve(state.name)
    qualname = found_at.qualname if found_at is not None and found_at.qualname else state.name
    return Biography(
        symbol=name,
        state=state,
        versions=tuple(versions),
        steps=tuple(steps),
        touched=touched,
        names=tuple(names),
        contracts=contracts_on(trees.contracts(universe), universe, names),
        lanes=tuple(lanes_with(trees, matrix, names)) if matrix is not None else (),
        patches=tuple(patches_on(patches, names, qualname)),
    )


def _newest(trees: Trees, names: Sequence[str], commit: str) -> State | None:
    universe = trees.universe(trees.tree(commit))
    return next((state for name in names if (state := state_of(universe, name))), None)


def _last(trees: Trees, steps: Sequence[Step], names: Sequence[str]) -> State | None:
    """The state just before the commit that removed a symbol."""
    parents = steps[0].commit.parents if steps else ()
    return _newest(trees, names, parents[0]) if parents else None


def _tags(repository: GitRepository, old: str | None, new: str) -> list[tuple[Version, str]]:
    """The releases between two commits, both included: by version where an end is a release, else by date."""
    tags = [(version, tag) for version, tag in repository.version_tags() if not version.is_prerelease]
    commits = {tag: repository.resolve(f"refs/tags/{tag}") for _, tag in tags}
    chosen = tags
    for end, last in ((old, False), (new, True)):
        if end is None:
            continue
        at = next((version for version, tag in tags if commits[tag] == end), None)
        if at is not None:
            chosen = [item for item in chosen if (item[0] <= at if last else item[0] >= at)]
        else:
            moment = repository.date(end)
            dates = {tag: repository.date(commits[tag]) for _, tag in chosen}
            chosen = [x for x in chosen if (dates[x[1]] <= moment if last else dates[x[1]] >= moment)]
    return chosen
