"""All contracts of a backend with one upstream tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from packaging.version import Version

from syncbot.api.syntax import parsed
from syncbot.api.tree import top_level
from syncbot.api.universe import Universe
from syncbot.contracts.conditions.gated_code import GatedCode
from syncbot.contracts.conditions.guards import VersionTests
from syncbot.contracts.conditions.version_helpers import version_helpers
from syncbot.contracts.configured_facts import NOTHING, Knowledge
from syncbot.contracts.context import Context
from syncbot.contracts.inference.adopted_functions import adopted
from syncbot.contracts.inference.calls_between_modules import CallsBetweenModules
from syncbot.contracts.inference.calls_in_module import OwnCall, calls_in_module
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.placed_functions import Placing
from syncbot.contracts.inference.values import Scope
from syncbot.contracts.kinds.unknown_objects import UnknownObjectContract, UnseenNameContract
from syncbot.contracts.model import Contract
from syncbot.contracts.operators.inferred_registrars import inferred_registrars
from syncbot.contracts.own_replacements import calls_of_own, may_be_placed, placed_functions, stand_ins
from syncbot.contracts.registry import Finder, finders_for
from syncbot.contracts.sources import Backend, SourceFile
from syncbot.contracts.unreached.shadowing import StandIn
from syncbot.contracts.walk import walk

_PLACED_NOWHERE: Mapping[str, Placing] = {}
_UNJUDGED = (UnknownObjectContract, UnseenNameContract)


@dataclass(frozen=True, slots=True)
class Found:
    """The contracts of one file, and the looks at the upstream tree, and at the backend's ``own``, that they
    were told from; ``calls`` are those in other files, as `CallsBetweenModules.told` has them."""

    contracts: tuple[Contract, ...]
    looks: frozenset[str]
    own: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()


class DiscoveryHelp:
    """Contracts that are kept, or that another process looks for. This one knows of none."""

    @property
    def kinds(self) -> Collection[type[Contract]] | None:
        """The kinds of contract that are looked for in the files that are walked; None for all."""
        return None

    def kept(self, universe: Universe, /) -> Mapping[str, Sequence[Contract]]:
        """Return the contracts by path of the files that are known to have the same ones in this universe."""
        return {}

    def begin(self, universe: Universe, files: Sequence[SourceFile], /) -> None:
        """These files are about to be walked in this universe, the first one first."""

    def found(self, path: str, /) -> Found | None:
        """Return what another process found in a file; None where it has not got there, or could not."""
        return None

    def finish(self, universe: Universe, found: Mapping[str, Found], /) -> None:
        """All contracts in this universe are known; these files were walked anew."""


def discover(
    backend: Backend,
    universe: Universe,
    upstream: Sequence[str],
    knowledge: Knowledge = NOTHING,
    problems: MutableMapping[str, str] | None = None,
    replaced: dict[str, StandIn] | None = None,
    unjudged: list[Contract] | None = None,
    help: DiscoveryHelp | None = None,
    version: Version | None = None,
    own_names: Callable[[], frozenset[str]] | None = None,
) -> list[Contract]:
    """The contracts of all files, in their order. Code that does not run on the upstream ``version``, or on
    one that no test names, is no contract, nor is a call of a function that the backend replaces.
    ``own_names`` tells which names the backend defines, faster than its texts do.
    ``problems`` gets files that are nested too deeply, with the reason; ``replaced`` the upstream names that
    the backend assigns onto; ``unjudged`` what is no contract either, since nothing could judge it."""
    help = help or DiscoveryHelp()
    known = dict(help.kept(universe))
    missing = [file for file in backend.files if file.path not in known]
    fresh: dict[str, Found] = {}
    if missing:
        help.begin(universe, missing)
        names = (own_names or backend.defined)()
        finder = FileFinder(backend, universe, upstream, knowledge, names, help.kinds)
        fresh = _walked(missing, finder, help, {} if problems is None else problems)
    help.finish(universe, fresh)
    known.update((path, found.contracts) for path, found in fresh.items())
    gated = gated_code(backend, universe, upstream, knowledge, version)
    everything = [
        contract
        for file in backend.files
        for contract in known.get(file.path, ())
        if not gated.is_off(contract.place.location)
    ]
    found = [contract for contract in everything if not isinstance(contract, _UNJUDGED)]
    if unjudged is not None:
        unjudged += [contract for contract in everything if isinstance(contract, _UNJUDGED)]
    assigned = stand_ins(found, universe, upstream, backend.test_modules)
    own = calls_of_own(found, assigned, universe)
    if replaced is not None:
        replaced.update(assigned)
    return [c for c in found if c not in own] if own else found


def gated_code(
    backend: Backend,
    universe: Universe,
    upstream: Sequence[str],
    knowledge: Knowledge,
    version: Version | None,
) -> GatedCode:
    """Return what of a backend does not run on an upstream version, or on one that no test names."""
    packages, helpers = tuple(upstream), version_helpers(backend.files)
    tests = VersionTests(knowledge.gate, version, packages=packages, helpers=helpers)
    return GatedCode(backend, tests, _spoken(universe, upstream))


def _spoken(universe: Universe, upstream: Sequence[str]) -> Callable[[str], bool]:
    """Says whether a word occurs in an upstream tree."""
    tree = next((t for t in universe.trees if upstream and t.owns(upstream[0])), None)
    return lambda word: tree is None or bool(tree.mentioning(tree.modules, word))


def _walked(
    files: Sequence[SourceFile], finder: FileFinder, help: DiscoveryHelp, problems: MutableMapping[str, str]
) -> dict[str, Found]:
    """Return what files rely on, by path, each walked here unless another process has walked it."""
    fresh: dict[str, Found] = {}
    for file in files:
        found = help.found(file.path)
        try:
            fresh[file.path] = finder.found(file) if found is None else found
        except RecursionError as error:
            problems[file.path] = f"RecursionError: {error}"
    return fresh


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where functions of the backend are put, and the looks at the trees that this was told from."""

    functions: Mapping[str, Placing] = field(default_factory=dict)
    looks: frozenset[str] = frozenset()


class FileFinder:
    """Finds the contracts of a backend's files in one universe, file by file in any order."""

    def __init__(
        self,
        backend: Backend,
        universe: Universe,
        upstream: Sequence[str],
        knowledge: Knowledge,
        own_names: frozenset[str],
        kinds: Collection[type[Contract]] | None = None,
    ) -> None:
        self._kinds = kinds
        self._inference = Inference(universe, own_names)
        self._backend, self._universe, self._upstream = backend, universe, tuple(upstream)
        with universe.watch() as seen:
            registrars = knowledge.registrars or inferred_registrars(universe, upstream)
        self._knowledge, self._looks = replace(knowledge, registrars=registrars), frozenset(seen())
        self._may_be_placed = may_be_placed(backend)
        self._calls = CallsBetweenModules(backend)

    @cached_property
    def _placed(self) -> _Placed:
        """Where the backend puts its functions: to find that takes as long as to walk a few files."""
        with self._universe.watch() as seen:
            placed = placed_functions(self._backend, self._universe, self._upstream)
        return _Placed(placed, frozenset(seen()))

    def found(self, file: SourceFile) -> Found:
        """Return what one file relies on. Raises RecursionError where it is nested too deeply to be
        walked."""
        # Whose functions nothing puts anywhere, need not know where others go.
        placed = self._placed if file.module in self._may_be_placed else _Placed()
        with self._universe.watch() as seen:
            contracts = shown_to(
                finders_for(file.words, self._kinds), file, self._inference, self._upstream, self._knowledge,
                placed.functions, self._calls,
            )  # fmt: skip
        looks = self._looks.union(seen(), placed.looks)
        return Found(
            tuple(contracts),
            frozenset(a for a in looks if top_level(a) in self._upstream),
            frozenset(a for a in looks if top_level(a) in self._backend.packages),
            self._calls.told(file.module),
        )


def shown_to(
    finders: Mapping[type[ast.AST], Sequence[Finder]],
    file: SourceFile,
    inference: Inference,
    upstream: tuple[str, ...],
    knowledge: Knowledge,
    placed: Mapping[str, Placing] = _PLACED_NOWHERE,
    calls: CallsBetweenModules | None = None,
) -> list[Contract]:
    """Return what some finders see in a file. Raises RecursionError where it is nested too deeply to be
    walked."""
    tree = parsed(file.text)
    if tree is None:
        return []
    # Its own table is asked for first: it is made from the same tree, before others come between.
    inference.universe.table(file.module)
    context = Context(
        file=file,
        universe=inference.universe,
        upstream=upstream,
        inference=inference,
        scope=Scope(file.module),
        knowledge=knowledge,
        adopted=adopted(tree),
        placed=placed,
        calls=_together(calls_in_module(tree), calls.of(file, tree) if calls is not None else {}),
    )
    return walk(tree, context, finders)


def _together(
    inside: Mapping[str, Sequence[OwnCall]], outside: Mapping[str, Sequence[OwnCall]]
) -> Mapping[str, Sequence[OwnCall]]:
    """The calls of the functions of a module, in it and in others."""
    return {n: [*inside.get(n, ()), *outside.get(n, ())] for n in [*inside, *outside]} if outside else inside
