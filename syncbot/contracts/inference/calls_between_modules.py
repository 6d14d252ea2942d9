"""Which calls in other modules of a backend call the functions of one that leave out types of parameters."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from syncbot.api.every_node import every_node
from syncbot.api.statement_lines import StatementLines, digest_of
from syncbot.api.statement_parts import bound_names
from syncbot.api.syntax import parsed
from syncbot.contracts.inference.calls_in_module import (
    OwnCall,
    calls_in_functions,
    constructs_base,
    without_types,
)
from syncbot.contracts.sources import Backend, SourceFile

#: A function that is called from more files is asked about no more.
MOST_FILES = 12


def callers(backend: Backend) -> Mapping[str, frozenset[str]]:
    """The paths of the files that may call functions of a module which leave out types of parameters, by
    that module, as far as their texts tell."""
    found = ((module, files) for module, files in _importing(backend).items() if files)
    return {module: frozenset(file.path for file in files) for module, files in found}


def _importing(backend: Backend) -> Mapping[str, Sequence[SourceFile]]:
    """The files that import from each module by a name of what leaves out types, or as a whole."""
    by_name: dict[str, list[SourceFile]] = {}
    for file in backend.files:
        for name in file.names.imported:
            by_name.setdefault(name, []).append(file)
    return {
        file.module: [
            other
            for other in _once(file, by_name)
            if other.module != file.module and (file.is_test or not other.is_test)
        ]
        for file in backend.files
        if file.names.untyped
    }


def _once(file: SourceFile, by_name: Mapping[str, Sequence[SourceFile]]) -> Iterator[SourceFile]:
    """The files that import something of a file, each once."""
    named = {other.path: other for name in file.names.untyped for other in by_name.get(name, ())}
    whole = by_name.get(file.module.rpartition(".")[2], ())
    named.update((other.path, other) for other in whole if not file.names.untyped.isdisjoint(other.words))
    yield from named.values()


@dataclass(frozen=True)
class CallsBetweenModules:
    """The calls of a backend, found when the first module asks for them."""

    backend: Backend

    def of(self, file: SourceFile, tree: ast.Module) -> Mapping[str, Sequence[OwnCall]]:
        """The calls in other modules of the functions (``f``) and classes (``C.__init__``) of one, whose
        syntax tree this is; none of those that too many files call."""
        wanted = set(without_types(tree)) if file.names.untyped else set()
        found: dict[str, list[OwnCall]] = {}
        for other in self._importing.get(file.module, ()) if wanted else ():
            for called, call in self._calls_from(other).get(file.module, ()):
                name = called if called in wanted else f"{called}.__init__"
                if name in wanted:
                    found.setdefault(name, []).append(call)
        files = {name: {call.file.path for call in calls if call.file} for name, calls in found.items()}
        return {name: calls for name, calls in found.items() if len(files[name]) <= MOST_FILES}

    def told(self, module: str, paths: Collection[str] | None = None) -> frozenset[str]:
        """For each of some files (all, if none are named) that calls functions of a module, its path, and
        behind a blank a digest of what is said there of the calls."""
        files = [f for f in self._importing.get(module, ()) if paths is None or f.path in paths]
        return frozenset(
            f"{self._said(file, module)} {file.path}" for file in files if module in self._calls_from(file)
        )

    def _said(self, file: SourceFile, module: str) -> str:
        lines = StatementLines(file.text)
        calls = self._calls_from(file)[module]
        return digest_of(line for name, call in calls for line in (name.encode(), *call.said(lines)))

    @cached_property
    def _importing(self) -> Mapping[str, Sequence[SourceFile]]:
        return _importing(self.backend)

    @cached_property
    def _known(self) -> dict[str, Mapping[str, Sequence[tuple[str, OwnCall]]]]:
        return {}

    @cached_property
    def _wanted(self) -> Mapping[str, frozenset[str]]:
        return {file.module: file.names.untyped for file in self.backend.files if file.names.untyped}

    def _calls_from(self, file: SourceFile) -> Mapping[str, Sequence[tuple[str, OwnCall]]]:
        """The calls in a file of what it imports from other modules of the backend, by these."""
        known = self._known.get(file.path)
        if known is None:
            known = self._known[file.path] = self._looked_for(file)
        return known

    def _looked_for(self, file: SourceFile) -> Mapping[str, Sequence[tuple[str, OwnCall]]]:
        tree = parsed(file.text)
        names = _imported(file, tree) if tree is not None else {}
        found: dict[str, list[tuple[str, OwnCall]]] = {}
        for call in calls_in_functions(tree) if tree is not None and names else ():
            for func, one in ((call.call.func, call), *_above(call)):
                for module, name in _called(func, names):
                    if name in self._wanted.get(module, ()):
                        found.setdefault(module, []).append((name, one.kept_in(file)))
        return found


def _above(call: OwnCall) -> Iterator[tuple[ast.expr, OwnCall]]:
    above = constructs_base(call)
    if above is not None:
        yield above


def _imported(file: SourceFile, tree: ast.Module) -> Mapping[str, str]:
    """The dotted names behind the local ones that a file imports anywhere: none that mean several things."""
    found: dict[str, set[str]] = {}
    imports = (node for node in every_node(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    for local, name in (bound for node in imports for bound in bound_names(node, file.package)):
        found.setdefault(local, set()).add(name)
    return {local: next(iter(names)) for local, names in found.items() if len(names) == 1}


def _called(func: ast.expr, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The module and the name of what a call calls, where that is imported."""
    parts: list[str] = []
    while isinstance(func, ast.Attribute):
        parts.append(func.attr)
        func = func.value
    if isinstance(func, ast.Name) and func.id in names:
        module, _, name = ".".join([names[func.id], *reversed(parts)]).rpartition(".")
        yield module, name
