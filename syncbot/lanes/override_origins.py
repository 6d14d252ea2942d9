"""The upstream functions that overrides of a lane are derived from, read from releases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec
from packaging.version import Version

from syncbot.api import extract, model
from syncbot.api.cache import TableCache, source_digest
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.config import Config
from syncbot.deriving import original
from syncbot.deriving.model import Derivation
from syncbot.deriving.original import Original
from syncbot.patching import statement_rules
from syncbot.patching.errors import NoMatch
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import Lines
from syncbot.patching.three_way.recorded_merge import Imported, OriginalText
from syncbot.sealed_values import keep, recall
from syncbot.upstream.opening import open_upstream

T = TypeVar("T")


@dataclass(frozen=True)
class Origins:
    """Finds functions in the trees of the matrix's upstream; those of releases are kept in the cache."""

    config: Config
    upstream: str
    cache: Path
    _known: dict[tuple[str, tuple[str, ...]], Original] = field(default_factory=dict)
    _texts: dict[tuple[str, str], OriginalText] = field(default_factory=dict)

    def derive(
        self, derivations: Sequence[Derivation], version: Version, files: Mapping[str, str]
    ) -> dict[str, str]:
        """The files with its overrides. Raises NoMatch, CannotRewrite, UsageError, EnvironmentFailure."""
        after = dict(files)
        for derivation in derivations:
            if not derivation.applies(version):
                continue
            if derivation.file not in after:
                raise NoMatch(f"derived {derivation.id}: the sources have no {derivation.file}")
            text = after[derivation.file]
            names = _candidates(derivation, text)
            original = self._original(f"derived {derivation.id}", version, names)
            # Only for overrides that are derived: libcst takes long to import.
            from syncbot.deriving.write import written

            after[derivation.file] = written(derivation, original, text)
        return after

    def original(self, symbol: str, version: str) -> OriginalText:
        """Upstream's function of that name in a version, with its decorators. Raises NoMatch,
        CannotRewrite, UsageError, EnvironmentFailure."""
        key = (symbol, version)
        if key not in self._texts:
            facts = (_code(), *key)
            self._texts[key] = self._kept(OriginalText, facts, lambda: self._text(symbol, version))
        return self._texts[key]

    def _text(self, symbol: str, version: str) -> OriginalText:
        found = self._original("merge", Version(version), (symbol,))
        span = Lines(found.text, found.module).definition(found.name)
        text = "\n".join(found.text.split("\n")[span.start : span.end])
        given = {
            name: Imported(origin.statement(), origin.typing_only)
            for name, origin in found.origins().items()
            if origin.module != found.module or origin.name != found.name
        }
        return OriginalText(text, given)

    def _original(self, who: str, version: Version, names: tuple[str, ...]) -> Original:
        key = (str(version), names)
        if key not in self._known:
            self._known[key] = self._kept(Original, key, lambda: self._found(who, version, names))
        return self._known[key]

    def _kept(self, kind: type[T], facts: Sequence[object], make: Callable[[], T]) -> T:
        """The value that some facts about a release have, which never changes."""
        digest = hashlib.sha256(json.dumps([self.upstream, self.config.index, *facts]).encode()).hexdigest()
        file = self.cache / "derived" / f"{digest[:32]}.json"
        known = recall(self.cache, file)
        if known is not None:
            return msgspec.json.decode(known, type=kind)
        made = make()
        if self._immutable:
            keep(self.cache, file, msgspec.json.encode(made))
        return made

    @property
    def _immutable(self) -> bool:
        upstream = self.config.upstreams.get(self.upstream)
        return upstream is not None and upstream.git is None

    def _found(self, who: str, version: Version, names: Sequence[str]) -> Original:
        with self._universe(str(version)) as (universe, tree):
            for name in names:
                owner, _, last = name.rpartition(".")
                above = universe.resolve(owner)
                found = universe.attribute(above, last) if above is not None else None
                source = tree.source(found.module) if found is not None else None
                if found is not None and found.functions and source is not None:
                    path = tree.modules[found.module][0]
                    text = source.decode("utf-8")
                    return Original(found.module, text, found.qualname, path.endswith("/__init__.py"))
        raise NoMatch(f"{who}: {self.upstream} {version} has no function {' or '.join(names) or '?'}")

    @contextmanager
    def _universe(self, version: str) -> Iterator[tuple[Universe, ModuleTree]]:
        digest = source_digest(extract, model)
        tables = TableCache(self.cache / "tables", "derived", digest, extract.extract, model.ModuleTable)
        try:
            with open_upstream(self.config, self.upstream, self.cache, [version]) as upstream:
                repository = upstream.repository
                files = {
                    path: entry.blob
                    for path, entry in repository.tree(repository.resolve(version)).items()
                    if path.endswith(".py") and entry.mode != "120000"
                }
                tree = ModuleTree(files, upstream.packages, tables, repository.blob)
                yield Universe((tree,)), tree
        finally:
            tables.close()


@cache
def _code() -> str:
    """A digest of the code that takes a function's text out of its module."""
    return source_digest(extract, model) + source_digest(original) + source_digest(statement_rules)


def _candidates(derivation: Derivation, text: str) -> tuple[str, ...]:
    """The dotted names under which upstream may have the function: the declared one, or that of each base."""
    if derivation.function is not None:
        return (derivation.function,)
    owner, _, name = derivation.name.rpartition(".")
    source = Source(text, derivation.file)
    found: set[str] = set()
    for node in source.index.classes:
        if node.name.value == owner:
            for base in node.bases:
                found |= source.qualified(base.value)
    if not found:
        raise NoMatch(f"derived {derivation.id}: {derivation.file} has no class {owner} with a base")
    return tuple(f"{base}.{name}" for base in sorted(found))
