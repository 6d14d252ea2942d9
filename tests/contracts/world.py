"""Two versions of an upstream package ``lib`` and a backend of it, in memory, judged by the real engine."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.names import DefinedNames, NameIndex, defined_names
from syncbot.api.options import Options, options
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.api.usage import UsageIndex, UsageTables, extract_usage
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.configured_facts import NOTHING, Knowledge
from syncbot.contracts.discovery import discover
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.registry import audit_of, judge_of
from syncbot.contracts.sources import Backend, in_memory
from syncbot.contracts.unreached.shadowing import StandIn
from syncbot.contracts.unreached.unreached_overrides import settled

Files = str | Mapping[str, str]
#: Of the trees that ``engine`` makes.
PACKAGES = ("engine",)


def findings(
    old: Files, new: Files, backend: Files, knowledge: Knowledge = NOTHING, loaded: Iterable[str] = ()
) -> list[Finding]:
    """Return the findings on the backend when ``new`` replaces ``old``; others load ``loaded``. A single text
    is that of ``lib/a.py``, or of ``plugin/__init__.py``. Upstream's packages are the folders that it has."""
    own, before, after = (
        _files(backend, "plugin/__init__.py"),
        _files(old, "lib/a.py"),
        _files(new, "lib/a.py"),
    )
    packages = tuple(sorted({path.partition("/")[0] for path in (*before, *after)}))
    older = _older(_fixed(before), _fixed(own), packages, knowledge)
    pair = replace(
        _compared(older.beside, after, packages),
        replaced=older.replaced, tests=older.tests, loaded=frozenset(loaded),
    )  # fmt: skip
    found: list[Finding] = []
    for contract in older.contracts:
        judge = judge_of(contract)
        if judge is not None:
            found.extend(settled(f, pair) for f in judge(contract, pair) if f.verdict is not Verdict.NONE)
    return found


def compare(
    old: Files, new: Files, backend: Files, knowledge: Knowledge = NOTHING, loaded: Iterable[str] = ()
) -> list[str]:
    """The findings as ``kind symbol verdict line subject``, sorted, each once.

    A tree compared with itself never gives one; that is held here for whatever a test compares.
    """
    for same in (old, new):
        assert findings(same, same, backend, knowledge) == []
    return rows(findings(old, new, backend, knowledge, loaded))


def rows(found: Iterable[Finding]) -> list[str]:
    """Findings as text."""
    return sorted(
        {
            f"{f.kind} {f.symbol} {f.verdict} {f.contract.place.location.line} {f.subject}".rstrip()
            for f in found
        }
    )


def contracts(upstream: Files, backend: Files, knowledge: Knowledge = NOTHING) -> list[Contract]:
    """All contracts of a backend with one upstream."""
    own = in_memory(_files(backend, "plugin/__init__.py"))
    files = _files(upstream, "lib/a.py")
    return discover(own, comparison(files, files, own).old, ("lib",), knowledge)


def audits(upstream: Files, written_for: Files, backend: Files) -> list[str]:
    """Return the contracts of a backend, written for another upstream, that ``upstream`` breaks."""
    own = in_memory(_files(backend, "plugin/__init__.py"))
    pair = comparison(_files(written_for, "lib/a.py"), _files(upstream, "lib/a.py"), own)
    said: list[str] = []
    for contract in discover(own, pair.old, ("lib",)):
        audit = audit_of(contract)
        if audit is not None:
            said.extend(f"{contract.place.location.line}: {problem}" for problem in audit(contract, pair.new))
    return sorted(set(said))


def engine(core: str, **more: str) -> dict[str, str]:
    """Return an upstream tree of ``engine/core.py`` and further modules by name."""
    modules = {"__init__": "", "core": core, **more}
    return {f"engine/{name}.py": text(body) for name, body in modules.items()}


def text(source: str) -> str:
    """Return a source as it is written in a test, without its indentation and first line break."""
    return textwrap.dedent(source).lstrip("\n")


def universe(files: Files, packages: tuple[str, ...] = ("lib",)) -> Universe:
    """The names of one tree."""
    return Universe((tree(_files(files, "lib/a.py"), packages),))


def comparison(
    old: Mapping[str, str], new: Mapping[str, str], backend: Backend, packages: tuple[str, ...] = ("lib",)
) -> Comparison:
    """Two trees of an upstream side by side."""
    return _compared(_Beside.of(tree(old, packages), backend.tree(_tables())), new, packages)


@dataclass(frozen=True, slots=True)
class _Beside:
    """An upstream tree and that of a backend, and the names in both."""

    upstream: ModuleTree
    own: ModuleTree
    names: Universe

    @classmethod
    def of(cls, upstream: ModuleTree, own: ModuleTree) -> _Beside:
        return cls(upstream, own, Universe((upstream, own), follow=(own,)))


@dataclass(frozen=True, slots=True)
class _Older:
    """The contracts of a backend with one upstream, whatever that is compared with."""

    beside: _Beside
    contracts: Sequence[Contract]
    replaced: Mapping[str, StandIn]
    tests: frozenset[str]


@lru_cache(maxsize=8)
def _older(
    upstream: tuple[tuple[str, str], ...], backend: tuple[tuple[str, str], ...],
    packages: tuple[str, ...], knowledge: Knowledge,
) -> _Older:  # fmt: skip
    texts = in_memory(dict(backend))
    files = (replace(file, is_test=file.path.startswith("tests/")) for file in texts.files)
    own = replace(texts, files=tuple(files))
    beside = _Beside.of(tree(dict(upstream), packages), own.tree(_tables()))
    replaced: dict[str, StandIn] = {}
    contracts = discover(own, beside.names, packages, knowledge, replaced=replaced)
    return _Older(beside, contracts, replaced, own.test_modules)


def _compared(older: _Beside, new: Mapping[str, str], packages: tuple[str, ...]) -> Comparison:
    after, own = tree(new, packages), older.own
    usages, names = _usages(), _names()
    return Comparison(
        old=older.names,
        new=Universe((after, own), follow=(own,)),
        old_tree=older.upstream,
        new_tree=after,
        old_usage=UsageTables(older.upstream, usages),
        new_usage=UsageTables(after, usages),
        old_names=DefinedNames(older.upstream, names),
        new_names=DefinedNames(after, names),
        own_tree=own,
        own_usage=UsageTables(own, usages),
        options=_options(),
    )


def tree(files: Mapping[str, str], packages: tuple[str, ...] = ("lib",)) -> ModuleTree:
    """A module tree of texts by path; the id of a text is the text itself."""
    return ModuleTree(dict(files), packages, _tables(), str.encode)


# What is read of a text is the same in every case, and none changes it.
@cache
def _tables() -> TableCache[ModuleTable]:
    return TableCache(None, "modules", "1", extract, ModuleTable)


@cache
def _usages() -> UsageIndex:
    return UsageIndex(TableCache(None, "usages", "1", extract_usage, UsageTable))


@cache
def _names() -> NameIndex:
    return NameIndex(TableCache(None, "names", "1", defined_names, frozenset[str]))


@cache
def _options() -> TableCache[Options]:
    return TableCache(None, "options", "1", options, Options)


def _fixed(files: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(files.items()))


def _files(files: Files, default: str) -> dict[str, str]:
    given = {default: files} if isinstance(files, str) else files
    texts = {path: text(source) for path, source in given.items()}
    for package in {path.partition("/")[0] for path in texts} - {"tests"}:
        if any(path.startswith(f"{package}/") for path in texts):
            texts.setdefault(f"{package}/__init__.py", "")
    return texts
