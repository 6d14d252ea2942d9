"""Whether a backend is made for the older end of a range at all: what it imports is not there otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from packaging.version import Version

from syncbot.api.statement_parts import type_checking
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tolerates_import
from syncbot.contracts.discovery import gated_code
from syncbot.contracts.kinds.imports import ImportContract, audit_import
from syncbot.contracts.misfit import Misfit
from syncbot.contracts.model import Contract
from syncbot.impact.trees import Trees

# Other versions than the newer end are looked at where so many names, and such a share of them, are lacking.
_MANY, _SHARE = 3, 0.01
# So many versions are looked at in each direction for these names, and so many of them for all names.
_VERSIONS, _WHOLE = 16, 3


def misfit(
    trees: Trees, contracts: Iterable[Contract], pair: Comparison, old: str, new: str
) -> Misfit | None:
    """Return what the older end of a comparison lacks of the imports among contracts; None where it has all,
    and where it lacks few which the newer end lacks as well: that tells nothing of the older one."""
    imports = _certain(trees, contracts)
    missing = _lacked(trees, imports, pair.old, old)
    if not missing:
        return None
    many = len(missing) >= max(_MANY, _SHARE * len(imports))
    fits = []
    if many:
        some = {name: imports[name] for name in missing}
        for commit in _likely(trees, some, old, new):
            fits.append((len(_lacked(trees, imports, trees.universe(trees.tree(commit)), commit)), commit))
    fits.append((len(_lacked(trees, imports, pair.new, new)), new))
    lacks, best = min(fits, key=lambda each: each[0])
    names = tuple(sorted(missing))
    if lacks < len(missing):
        return Misfit(names, trees.repository.tagged_commits().get(best, best[:10]), lacks)
    return Misfit(names) if many else None


_Imports = Mapping[str, Sequence[ImportContract]]


def _certain(trees: Trees, contracts: Iterable[Contract]) -> _Imports:
    """The imports by name that fail where the name is not there: those of no test that nothing catches."""
    tests = {file.path for file in trees.backend.files if file.is_test}
    found: dict[str, list[ImportContract]] = {}
    for each in contracts:
        if isinstance(each, ImportContract) and each.place.location.file not in tests:
            guards = each.place.guards
            if not tolerates_import(guards) and not type_checking(guards):
                found.setdefault(each.symbol, []).append(each)
    return found


def _lacked(trees: Trees, imports: _Imports, universe: Universe, commit: str) -> set[str]:
    """The names that the tree of a commit lacks, of code that runs on its version."""
    lacked = _absent(imports, universe)
    if not lacked:
        return lacked
    version = trees.versions(commit, commit)[0]
    gated = gated_code(trees.backend, universe, trees.packages, trees.knowledge, version)
    return {name for name in lacked if not all(gated.is_off(each.place.location) for each in imports[name])}


def _absent(imports: _Imports, universe: Universe) -> set[str]:
    return {name for name, places in imports.items() if any(audit_import(places[0], universe))}


def _likely(trees: Trees, missing: _Imports, old: str, new: str) -> Iterator[str]:
    """The releases around a commit that have the most of some names, of equal ones the nearest."""
    ranked = []
    for number, commit in enumerate(_around(trees, old, new)):
        tree = trees.tree(commit)
        asked = {name for places in missing.values() for name in (places[0].from_module, places[0].symbol)}
        # What a mirror lacks is fetched all in one go.
        trees.load(tree.modules[name][1] for name in sorted(asked) if name in tree.modules)
        ranked.append((len(_absent(missing, trees.universe(tree))), number, commit))
    yield from (commit for _, _, commit in sorted(ranked)[:_WHOLE])


def _around(trees: Trees, old: str, new: str) -> list[str]:
    """The commits of the releases around the older end that the newer one has in its history, so that no
    release of tomorrow changes an answer: the nearest first, newer ones before older."""
    repository = trees.repository
    behind = repository.version_tags(old)
    start = behind[-1][0] if behind else Version("0")
    released = [(version, tag) for version, tag in repository.version_tags(new) if not version.is_prerelease]
    newer = [tag for version, tag in released if version > start]
    older = [tag for version, tag in reversed(released) if version < start]
    return [repository.resolve(f"refs/tags/{tag}") for tag in (*newer[:_VERSIONS], *older[:_VERSIONS])]
