"""Who in upstream used what a commit removed or moved, and what can still be reached where it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from syncbot.api.model import Import
from syncbot.api.module_declarations import DeclaredTable
from syncbot.api.tree import BlobValues, ModuleTree
from syncbot.api.universe import Universe
from syncbot.impact.facts.collect import module_name
from syncbot.impact.facts.model import Change, Facts

#: Of more removals than this in one commit, the users are not looked for: it would cost more than it tells.
LIMIT = 60

_GONE = ("function-removed", "class-removed", "variable-removed", "export-removed")
_MOVED = ("symbol-moved", "symbol-renamed")
_MEMBERS = ("method-removed", "attribute-removed", "field-removed", "assignment-removed")
_NAMES = ("environment-added", "environment-removed", "option-added", "option-removed")

_WORD = re.compile(rb"\w+")
_COMMENT = re.compile(rb"#[^\n]*")
# All import statements, and more.
_IMPORTING = re.compile(rb"\b(?:from|import)\b(?:[^\n(\\]|\\\r?\n)*(?:\([^)]*\))?")


def with_users(
    facts: Facts,
    before: Callable[[], ModuleTree],
    after: Callable[[], ModuleTree],
    declared: BlobValues[DeclaredTable],
) -> Facts:
    """The facts with the modules that imported what is gone, inherited members marked as kept, without what
    other modules declare too. The trees of the commit and its parent are made only if needed."""
    facts = Facts(tuple(_elsewhere(facts.changes, before, after, declared)))
    wanted = {_old_name(change): _is_module(change) for change in facts.changes if _is_gone(change)}
    users = _importers(before(), wanted) if 0 < len(wanted) <= LIMIT else {}
    members = any(change.kind in _MEMBERS for change in facts.changes)
    universe = Universe((after(),)) if members else None
    return Facts(tuple(_completed(change, users, universe) for change in facts.changes))


def _completed(change: Change, users: dict[str, list[str]], universe: Universe | None) -> Change:
    if _is_gone(change):
        return replace(change, users=tuple(users.get(_old_name(change), ())))
    if universe is not None and change.kind in _MEMBERS and _is_reached(change, universe):
        return replace(change, kept=True)
    return change


def _is_reached(change: Change, universe: Universe) -> bool:
    """Whether a member is still there: inherited, or set from outside in the same module."""
    found = universe.resolve(change.symbol)
    if found is not None and found.kind != "unknown":
        return True
    name, module = change.symbol.rpartition(".")[2], module_name(change.file)
    tree = universe.tree_of(module)
    return tree is not None and bool(tree.mentioning([module], f".{name} = ", f".{name}: "))


def _is_gone(change: Change) -> bool:
    if change.kind in _GONE or change.kind in _MOVED:
        return change.public and not change.kept and "." in _old_name(change)
    return _is_module(change)


def _is_module(change: Change) -> bool:
    return change.kind in ("module-removed", "module-moved")


def _old_name(change: Change) -> str:
    return change.before if change.before and change.kind in (*_MOVED, "module-moved") else change.symbol


def _importers(tree: ModuleTree, wanted: dict[str, bool]) -> dict[str, list[str]]:
    """Dotted name → modules that import it: of a module (true) anything in it, else that name from there."""
    found: dict[str, list[str]] = {}
    tails = {name if whole else name.rpartition(".")[0] for name, whole in wanted.items()}
    mentioning = tree.mentioning(tree.modules, *sorted({tail.rpartition(".")[2] for tail in tails}))
    if not any(wanted.values()):
        # Who imports a name spells it; a module may be meant by dots alone.
        mentioning = tree.mentioning(mentioning, *sorted({name.rpartition(".")[2] for name in wanted}))
    words = [
        {each.encode() for each in name.split(".")[-1 if whole else -2 :]} for name, whole in wanted.items()
    ]
    for module in mentioning:
        # Many texts have a word such as "spec": a table of each would take a second.
        table = tree.table(module) if _may_import(tree.source(module) or b"", words) else None
        for name in dict.fromkeys(_imported(tree, module, table.imports if table else ())):
            if name in wanted and module != name and not name.startswith(f"{module}."):
                found.setdefault(name, []).append(module)
    return found


def _may_import(source: bytes, several: Sequence[set[bytes]]) -> bool:
    """Whether an import statement of a text has all words of one of several names."""
    for statement in _IMPORTING.findall(_COMMENT.sub(b"", source)):
        said = set(_WORD.findall(statement))
        # By dots alone a package around is meant, whatever its name.
        dots = statement[len("from") :].lstrip().startswith(b".")
        if any(len(words - said) <= dots for words in several):
            return True
    return False


def _imported(tree: ModuleTree, module: str, imports: Iterable[Import]) -> Iterable[str]:
    """Every full name that a module's imports mention: the modules, and the names in them."""
    for item in imports:
        absolute = tree.absolute(module, item.level, item.module)
        yield absolute
        if item.name is not None:
            yield f"{absolute}.{item.name}"


def _elsewhere(
    changes: Sequence[Change],
    before: Callable[[], ModuleTree],
    after: Callable[[], ModuleTree],
    declared: BlobValues[DeclaredTable],
) -> Iterable[Change]:
    """Without what is new or gone only in the files of the commit: others had it before, or have it yet."""
    for change in changes:
        if change.kind in _NAMES:
            kind, _, how = change.kind.partition("-")
            tree = before() if how == "added" else after()
            if _declares(tree, kind, change.symbol, declared):
                continue
        yield change


def _declares(tree: ModuleTree, kind: str, name: str, declared: BlobValues[DeclaredTable]) -> bool:
    for module in tree.mentioning(tree.modules, name):
        table = tree.derived(module, declared)
        if table is not None and any(item.kind == kind and item.name == name for item in table.items):
            return True
    return False
