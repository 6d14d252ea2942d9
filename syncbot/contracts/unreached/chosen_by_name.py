"""Classes that upstream chooses by a name in an option, where the backend writes the name of its own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator

from syncbot.api.remembered_answers import remembered
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe

# ``config.tool = "package.module.Class"``, also on a line of its own.
_WRITTEN = re.compile(rb"\.(\w+)\s*=[\s\\]*\(?\s*[\"'](\w+(?:\.\w+)*\.[A-Z]\w*)[\"']")


def never_chosen(
    own: ModuleTree, tree: ModuleTree, universe: Universe, tests: Collection[str]
) -> frozenset[str]:
    """The classes of upstream that it writes into an option as the backend does with its own, and of which
    these do not derive. What the backend names itself may be chosen."""
    ours: dict[str, set[str]] = defaultdict(set)
    named = set[str]()
    for module in own.modules:
        for option, written in _written(own.source(module) or b"") if module not in tests else ():
            found = universe.resolve(written)
            if found is not None and found.kind == "class" and universe.tree_of(found.module) is own:
                ours[option].add(found.name)
                named.update(c.name for c in universe.lineage(found).classes)
            elif found is not None:
                named.add(found.name)
    return frozenset(name for option in ours for name in _theirs(option, tree, universe) if name not in named)


def _theirs(option: str, tree: ModuleTree, universe: Universe) -> Iterator[str]:
    modules = tree.mentioning(tree.modules, f".{option} = ")
    tree.note(modules)
    for module in modules:
        for known, written in _written(tree.source(module) or b""):
            found = universe.resolve(written) if known == option else None
            if found is not None and found.kind == "class" and universe.tree_of(found.module) is tree:
                yield found.name


@remembered(4096)
def _written(source: bytes) -> tuple[tuple[str, str], ...]:
    """The options that a text sets to what may be the name of a class."""
    return tuple((option.decode(), name.decode()) for option, name in _WRITTEN.findall(source))
