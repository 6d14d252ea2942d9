"""Which files of a backend rely on the same as before once others of it have changed. A file that is the same
is concerned where a module that was looked at for its contracts is another one, where it says a name that the
backend defines by now, or no longer, and where functions of it may be put elsewhere than they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from syncbot.api.tree import ModuleTree, looks_at_all, module_changes
from syncbot.contracts.discovery import Found
from syncbot.contracts.own_replacements import files_that_place, may_be_placed
from syncbot.contracts.sources import Backend


@dataclass(frozen=True)
class BackendFacts:
    """A state of a backend: path and blob by module, the paths of its tests, the ``names`` that it defines,
    the paths of files that may place functions of others, and the modules whose functions those may be."""

    modules: Mapping[str, tuple[str, str]]
    tests: frozenset[str]
    names: frozenset[str]
    placing: frozenset[str]
    placed: frozenset[str]

    @classmethod
    def of(cls, backend: Backend, names: frozenset[str]) -> BackendFacts:
        """The facts of a backend that defines these names."""
        return cls(
            {file.module: (file.path, file.blob) for file in backend.files},
            frozenset(file.path for file in backend.files if file.is_test),
            names,
            frozenset(file.path for file in files_that_place(backend)),
            may_be_placed(backend),
        )


def untouched(
    found: Mapping[str, Found], was: BackendFacts, now: BackendFacts, backend: Backend, tree: ModuleTree
) -> dict[str, Found]:
    """What was found in those files of a backend, by path, in which the same would be found ``now``; ``tree``
    is that of the backend's modules."""
    before = tree.with_modules(was.modules)
    if before.packages != tree.packages:
        return {}
    changed = module_changes(before, tree)
    seen = changed | looks_at_all(tree.packages if changed else ())
    said = was.names ^ now.names
    concerned = set(changed)
    if was.placed != now.placed or not _paths(changed, was, now).isdisjoint(was.placing | now.placing):
        concerned |= was.placed | now.placed
    return {
        file.path: found[file.path]
        for file in backend.files
        if file.path in found
        and file.module not in concerned
        and found[file.path].own.isdisjoint(seen)
        and file.is_test == (file.path in was.tests)
        and (not said or file.words.isdisjoint(said))
    }


def _paths(modules: set[str], *states: BackendFacts) -> set[str]:
    """The paths that some modules have in one of several states."""
    return {state.modules[module][0] for state in states for module in modules if module in state.modules}
