"""The facts of a commit, collected from the blobs that it touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from syncbot.api.differences import Difference, class_differences, differences, function_differences
from syncbot.api.expressions import last_name
from syncbot.api.model import Class, Function, ModuleTable
from syncbot.api.module_declarations import DeclaredTable
from syncbot.api.tree import BlobValues
from syncbot.impact.changed_files import Kind, kind_of, requires
from syncbot.impact.facts import moves, native
from syncbot.impact.facts.model import Change, Facts
from syncbot.impact.facts.moves import Defined
from syncbot.impact.facts.requirements import required
from syncbot.upstream.model import Commit, FileChange

_EMPTY = ModuleTable()
_ONE_SIDED = {f"{what}-{how}" for what in ("function", "class") for how in ("added", "removed")}
# Where a module lies below a folder that is no package, its name begins after it.
_SOURCE_ROOTS = ("src/", "python/")


@dataclass(frozen=True, slots=True)
class Blobs:
    """The known data of blobs: their bytes, their symbol tables, their declarations."""

    read: Callable[[str], bytes]
    tables: BlobValues[ModuleTable]
    declared: BlobValues[DeclaredTable]


@dataclass(frozen=True, slots=True)
class _Module:
    """A Python file of code before and after; ``old`` and ``new`` are module names, None where it is not."""

    old: str | None
    new: str | None
    before: ModuleTable
    after: ModuleTable
    file: str

    @property
    def name(self) -> str:
        return self.new or self.old or ""


@dataclass(slots=True)
class _Found:
    """The facts collected so far from the files of a commit."""

    changes: list[Change] = field(default_factory=list)
    removed: list[Defined] = field(default_factory=list)
    added: list[Defined] = field(default_factory=list)
    before: dict[tuple[str, str], tuple[str | None, str]] = field(default_factory=dict)
    after: dict[tuple[str, str], tuple[str | None, str]] = field(default_factory=dict)


def collect(commit: Commit, blobs: Blobs) -> Facts:
    """The facts of one commit; who used what is gone is added by :mod:`syncbot.impact.facts.users`."""
    found = _Found()
    for change in commit.files:
        path = change.new_path or change.old_path or ""
        kind = kind_of(path)
        if kind is Kind.CODE and path.endswith((".py", ".pyi")):
            _module(change, blobs, found)
        elif requires(path) or (kind is Kind.CODE and native.is_native(path)):
            old = blobs.read(change.old_blob) if change.old_blob and change.status != "A" else b""
            new = blobs.read(change.new_blob) if change.new_blob else b""
            if requires(path):
                found.changes += _compared("requirement", required(path, old), required(path, new), path)
            else:
                found.changes += _compared("kernel", native.kernels(old), native.kernels(new), path)
                found.changes += _compared("operator", native.schemas(old), native.schemas(new), path)
    _settle_moves(found)
    _settle_declarations(found)
    return Facts(tuple(found.changes))


def touched(commit: Commit) -> Iterator[str]:
    """The blobs that :func:`collect` reads for a commit."""
    for change in commit.files:
        path = change.new_path or change.old_path or ""
        source = kind_of(path) is Kind.CODE and (path.endswith((".py", ".pyi")) or native.is_native(path))
        if source or requires(path):
            yield from (blob for blob in (change.old_blob, change.new_blob) if blob)


def module_name(path: str) -> str:
    """The dotted name of the module at a path, as imports spell it."""
    for root in _SOURCE_ROOTS:
        path = path.removeprefix(root)
    return path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")


def _module(change: FileChange, blobs: Blobs, found: _Found) -> None:
    def table(blob: str | None) -> ModuleTable:
        return blobs.tables.get(blob, blobs.read) if blob else _EMPTY

    module = _Module(
        module_name(change.old_path) if change.old_path and change.status != "C" else None,
        module_name(change.new_path) if change.new_path else None,
        table(change.old_blob) if change.status not in ("A", "C") else _EMPTY,
        table(change.new_blob),
        change.new_path or change.old_path or "",
    )
    if module.before.problem or module.after.problem:
        return
    _whole(module, found)
    _definitions(module, found)
    for side, blob, store in (
        (module.old, change.old_blob, found.before),
        (module.new, change.new_blob, found.after),
    ):
        if side is not None and blob:
            for item in blobs.declared.get(blob, blobs.read).items:
                name = f"{side}.{item.name}" if item.kind == "registry" else item.name
                store.setdefault((item.kind, name), (item.value, module.file))


def _whole(module: _Module, found: _Found) -> None:
    """The module itself: new, gone or elsewhere."""
    if module.old is None and module.new is not None:
        found.changes.append(Change("module-added", module.new, module.file, parts=_contents(module.after)))
    elif module.new is None and module.old is not None:
        parts = _contents(module.before)
        found.changes.append(Change("module-removed", module.old, module.file, parts=parts))
    elif module.old != module.new:
        found.changes.append(Change("module-moved", module.name, module.file, module.old, module.new))


def _contents(table: ModuleTable) -> tuple[tuple[str, str], ...]:
    return tuple(
        ("class" if isinstance(node, Class) else "function", node.name) for node in moves.top_level(table)
    )


def _definitions(module: _Module, found: _Found) -> None:
    before: dict[str, Function | Class] = {n.name: n for n in moves.top_level(module.before)}
    after: dict[str, Function | Class] = {n.name: n for n in moves.top_level(module.after)}
    whole = module.old is None or module.new is None
    for name, node in before.items():
        if name not in after:
            found.removed.append(Defined(module.old or "", module.file, node))
    for name, node in after.items():
        if name not in before:
            found.added.append(Defined(module.new or "", module.file, node))
    if whole:
        return
    for item in differences(module.before, module.after):
        symbol = f"{module.name}.{item.symbol}"
        change = Change(item.kind, symbol, module.file, item.before, item.after, item.parts)
        if item.kind in ("function-removed", "class-removed", "variable-removed"):
            change = replace(change, kept=_still_there(module.after, item.symbol))
        found.changes.append(_as_kernel(change, module.after))
    if module.file.endswith("/__init__.py"):
        gone = _names(module.before) - _names(module.after)
        exported = {i.local for i in module.before.imports if not i.scope and i.local in gone}
        for name in sorted(exported):
            found.changes.append(Change("export-removed", f"{module.name}.{name}", module.file))


def _names(table: ModuleTable) -> set[str]:
    defined = {node.name for node in moves.top_level(table)} | {v.name for v in table.variables}
    return defined | {i.local for i in table.imports if not i.scope}


def _still_there(table: ModuleTable, name: str) -> bool:
    """Whether a name can still be imported from a module that no longer defines it itself."""
    return table.dynamic or name in _names(table)


def _as_kernel(change: Change, table: ModuleTable) -> Change:
    """The change of a function that is compiled for a device is one of a kernel."""
    if change.kind in ("body", "function-added"):
        node = next((f for f in table.functions if change.symbol.endswith(f".{f.name}")), None)
        if node is not None and _is_jitted(node):
            kind = "kernel-changed" if change.kind == "body" else "kernel-added"
            return replace(change, kind=kind)
    return change


def _is_jitted(node: Function) -> bool:
    return any(last_name(d) == "jit" for d in node.decorators)


def _settle_moves(found: _Found) -> None:
    """Put one move in the place of each removal and addition that belong together."""
    together = moves.pairs(found.removed, found.added)
    gone = {old.symbol for old, _ in together} | {new.symbol for _, new in together}
    moved_files = {c.before: c.after for c in found.changes if c.kind == "module-moved"}
    kept = {c.symbol for c in found.changes if c.kept}
    changes: list[Change] = []
    for c in found.changes:
        if c.kind == "module-added":
            c = replace(c, parts=tuple(p for p in c.parts if f"{c.symbol}.{p[1]}" not in gone))
        if c.kind not in _ONE_SIDED or c.symbol not in gone:
            changes.append(c)
    for old, new in together:
        same = old.node.name == new.node.name
        kind = "symbol-moved" if same else "symbol-renamed"
        if moved_files.get(old.module) == new.module and same:
            continue
        changes.append(Change(kind, new.symbol, new.file, old.symbol, new.symbol, kept=old.symbol in kept))
        changes += (
            Change(d.kind, f"{new.module}.{d.symbol}", new.file, d.before, d.after, d.parts)
            for d in _differences(old.node, new.node)
        )
    found.changes = changes


def _differences(old: Class | Function, new: Class | Function) -> Iterable[Difference]:
    if isinstance(old, Class) and isinstance(new, Class):
        return class_differences(old, new)
    if isinstance(old, Function) and isinstance(new, Function):
        return function_differences(old, new)
    return ()


def _settle_declarations(found: _Found) -> None:
    """Record the declarations that changed over all files of the commit; a moved declaration is no change."""
    tables = [{_registry(key) for key in side} for side in (found.before, found.after)]
    for key in dict.fromkeys((*found.before, *found.after)):
        kind, name = key
        # The entries of a table that is new or gone as a whole are no news of their own.
        if kind == "registry" and not all(_registry(key) in side for side in tables):
            continue
        before, after = found.before.get(key), found.after.get(key)
        if before is None and after is not None:
            found.changes.append(Change(f"{kind}-added", name, after[1], None, after[0]))
        elif after is None and before is not None:
            found.changes.append(Change(f"{kind}-removed", name, before[1], before[0], None))
        elif before is not None and after is not None and before[0] != after[0]:
            found.changes.append(Change(f"{kind}-changed", name, after[1], before[0], after[0]))


def _registry(key: tuple[str, str]) -> str:
    return key[1].partition("[")[0] if key[0] == "registry" else ""


def _compared(what: str, old: Mapping[str, str], new: Mapping[str, str], path: str) -> Iterator[Change]:
    """The changes of what a file names; of a kernel the digests are nothing to show."""
    for name in dict.fromkeys((*old, *new)):
        before, after = (side.get(name) if what != "kernel" else None for side in (old, new))
        if name not in old:
            yield Change(f"{what}-added", name, path, None, after)
        elif name not in new:
            yield Change(f"{what}-removed", name, path, before, None)
        elif old[name] != new[name]:
            yield Change(f"{what}-changed", name, path, before, after)
