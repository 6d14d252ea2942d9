"""Which files of a backend rely on the same as before once others of it have changed. A file that is the same
is concerned where the backend answers otherwise what was asked of it for the file's contracts, where it says
a telling name that the backend defines since, or no longer, and where its functions may be put elsewhere, or
are called otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from syncbot.api.tree import ModuleTree, looks_at_all, module_changes, searched
from syncbot.contracts.dependency_keys import own_answer
from syncbot.contracts.discovery import Found
from syncbot.contracts.inference.calls_between_modules import CallsBetweenModules, callers
from syncbot.contracts.kinds.loose_names import is_telling
from syncbot.contracts.own_replacements import files_that_place, may_be_placed, placing_digest
from syncbot.contracts.sources import Backend


@dataclass(frozen=True)
class BackendFacts:
    """A state of a backend: path and blob by module, the paths of its tests, the ``names`` that it defines,
    by path of files that may place functions of others a digest of what they say of that, the modules whose
    functions those may be, and the ``callers`` by module of functions that leave out types."""

    modules: Mapping[str, tuple[str, str]]
    tests: frozenset[str]
    names: frozenset[str]
    placing: Mapping[str, str]
    placed: frozenset[str]
    callers: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, backend: Backend, names: frozenset[str]) -> BackendFacts:
        """The facts of a backend that defines these names."""
        return cls(
            {file.module: (file.path, file.blob) for file in backend.files},
            frozenset(file.path for file in backend.files if file.is_test),
            names,
            {file.path: placing_digest(file.text) for file in files_that_place(backend)},
            may_be_placed(backend),
            callers(backend),
        )


def answers(looks: Iterable[str], tree: ModuleTree, known: Mapping[str, str]) -> dict[str, str]:
    """Digests of what the backend's tree answers to each of some questions; those that are ``known`` hold."""
    return {asked: known.get(asked) or _digest(asked, tree) for asked in looks}


def _digest(asked: str, tree: ModuleTree) -> str:
    return hashlib.blake2b(repr(own_answer(asked, tree)).encode(), digest_size=8).hexdigest()


def still_true(told: Mapping[str, str], was: BackendFacts, tree: ModuleTree) -> dict[str, str]:
    """Those of some answers that a later tree of the backend gives as well."""
    before = tree.with_modules(was.modules)
    changed = module_changes(before, tree)
    anew = looks_at_all(tree.packages if changed else ())
    return {
        asked: digest
        for asked, digest in told.items()
        if asked not in anew and (not _concerns(asked, changed) or _digest(asked, tree) == digest)
    }


def _concerns(asked: str, changed: Collection[str]) -> bool:
    return bool(changed) if searched(asked) else asked.partition(":")[0] in changed


def untouched(
    found: Mapping[str, Found],
    told: Mapping[str, str],
    was: BackendFacts,
    now: BackendFacts,
    backend: Backend,
) -> dict[str, Found]:
    """Return what was found in those files of a backend, by path, in which the same would be found ``now``;
    ``told`` are the answers of the backend that still hold."""
    if {m.partition(".")[0] for m in was.modules} != set(backend.packages):
        return {}
    changed = {m for m in was.modules.keys() | now.modules.keys() if was.modules.get(m) != now.modules.get(m)}
    said = {name for name in was.names ^ now.names if is_telling(name)}
    concerned = set(changed)
    concerned |= was.placed ^ now.placed if was.placing == now.placing else was.placed | now.placed
    concerned |= set(_called_otherwise(found, _paths(changed, was, now), was, now, backend))
    return {
        file.path: found[file.path]
        for file in backend.files
        if file.path in found
        and file.module not in concerned
        and found[file.path].own <= told.keys()
        and file.is_test == (file.path in was.tests)
        and (not said or file.words.isdisjoint(said))
    }


def _called_otherwise(
    found: Mapping[str, Found], paths: Collection[str], was: BackendFacts, now: BackendFacts, backend: Backend
) -> Iterator[str]:
    """The modules whose functions the files at some paths call otherwise than when these were ``found``."""
    calls = CallsBetweenModules(backend)
    for file in backend.files:
        before, after = (state.callers.get(file.module, frozenset()) for state in (was, now))
        looked_at = (before ^ after).union((before | after).intersection(paths))
        if looked_at and file.path in found:
            told = {each for each in found[file.path].calls if each.partition(" ")[2] in looked_at}
            if told != calls.told(file.module, looked_at):
                yield file.module


def _paths(modules: set[str], *states: BackendFacts) -> set[str]:
    """The paths that some modules have in one of several states."""
    return {state.modules[module][0] for state in states for module in modules if module in state.modules}
