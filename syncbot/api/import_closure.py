"""Which modules an import of a module imports too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncbot.api.lazy_names import LAZY
from syncbot.api.local_classes import is_local
from syncbot.api.model import Import
from syncbot.api.tree import ModuleTree


def runs(bound: Import) -> bool:
    """Whether an import statement runs when its module is imported: not in functions, not for checkers."""
    return not (bound.scope or is_local(bound.local)) and not any(
        "TYPE_CHECKING" in guard or guard == LAZY for guard in bound.guards
    )


def sources(tree: ModuleTree, module: str, bound: Import) -> Iterator[str]:
    """Yield the absolute names that an import may import. ``from package import name`` also yields
    ``package.name``: the package's own tree knows whether that is a module."""
    source = tree.absolute(module, bound.level, bound.module)
    yield source
    if bound.name not in (None, "*"):
        yield f"{source}.{bound.name}"


def top_level_imports(tree: ModuleTree, module: str) -> Iterator[str]:
    """The modules that a module imports when it is imported, as :func:`sources` has them."""
    table = tree.table(module)
    for bound in table.imports if table is not None else ():
        if runs(bound):
            yield from sources(tree, module, bound)


def closure(tree: ModuleTree, roots: Iterable[str]) -> frozenset[str]:
    """All modules of a tree that are imported when ``roots`` are, packages around them included."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        while name and name not in found:
            if name in tree.modules:
                found.add(name)
                waiting.extend(m for m in top_level_imports(tree, name) if m not in found)
            name = name.rpartition(".")[0]
    return frozenset(found)
