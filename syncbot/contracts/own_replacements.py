"""The backend's assignments onto upstream's names, and the calls that reach them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.remembered_answers import remembered
from syncbot.api.statement_lines import StatementLines, digest_of, hollow
from syncbot.api.syntax import parse
from syncbot.api.universe import Universe
from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.context import Context
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.placed_functions import Placing, placings, result_of
from syncbot.contracts.inference.values import Scope
from syncbot.contracts.kinds.helped_patches import find_calls
from syncbot.contracts.kinds.patches import PatchContract, find_assignments, find_setattr
from syncbot.contracts.model import Contract
from syncbot.contracts.registry import Finder
from syncbot.contracts.sources import Backend, SourceFile
from syncbot.contracts.unreached.shadowing import StandIn
from syncbot.contracts.walk import walk

# Those that see what statements put somewhere, a call of a function that does so too.
_PUTTING: Mapping[type[ast.AST], Sequence[Finder]] = {
    ast.Assign: [find_assignments],
    ast.Call: [find_setattr, find_calls],
}


def stand_ins(
    contracts: Iterable[Contract], universe: Universe, upstream: Sequence[str], tests: Collection[str] = ()
) -> dict[str, StandIn]:
    """The upstream names that the backend assigns its own onto, outside its ``tests``."""
    return {
        c.symbol: StandIn(c.replacement, c.place.module)
        for c in contracts
        if isinstance(c, PatchContract)
        and c.replacement
        and not c.guarded
        and c.place.module not in tests
        and not universe.belongs(c.replacement, upstream)
    }


def stand_ins_of(backend: Backend, universe: Universe, upstream: Sequence[str]) -> dict[str, StandIn]:
    """The same, looked for in the sources."""
    return stand_ins(
        _assignments(backend.files, universe, upstream), universe, upstream, backend.test_modules
    )


def may_be_placed(backend: Backend) -> frozenset[str]:
    """The modules with functions whose names another module gives to an attribute."""
    placed = {name for file in backend.files for name in _from_elsewhere(file, backend)}
    return frozenset(f.module for f in backend.files if not placed.isdisjoint(f.names.functions))


def files_that_place(backend: Backend) -> list[SourceFile]:
    """The files that may give a function of another module to an attribute."""
    defined = frozenset(name for file in backend.files for name in file.names.functions)
    return [file for file in backend.files if not defined.isdisjoint(_from_elsewhere(file, backend))]


def placed_functions(backend: Backend, universe: Universe, upstream: Sequence[str]) -> Mapping[str, Placing]:
    """Where the backend's statements put functions that other modules of it define, by dotted name."""
    return placings(
        (
            (function, contract.owner, contract.name)
            for contract in _assignments(files_that_place(backend), universe, upstream)
            if isinstance(contract, PatchContract) and (function := _put(contract))
        ),
        universe,
    )


@remembered(2048)
def placing_digest(source: bytes) -> str:
    """A digest of what :func:`placed_functions` reads in a text."""
    try:
        return digest_of(_said(_giving_part(source).body, StatementLines(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _said(body: Sequence[ast.stmt], lines: StatementLines) -> Iterator[bytes]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield ast.dump(hollow(statement)).encode()
            yield from _said(statement.body, lines)
        else:
            yield from lines.of(statement)


def _put(patch: PatchContract) -> str:
    """The function that a statement puts somewhere, by its dotted name or that of the one that returns it."""
    return patch.replacement or patch.wrapped or (result_of(patch.maker) if patch.maker else "")


def _from_elsewhere(file: SourceFile, backend: Backend) -> Iterator[str]:
    """The last parts of names that a file gives to attributes and that may be functions of another."""
    for name in file.names.given - file.names.functions:
        head, _, rest = name.partition(".")
        if not rest or head in backend.packages:
            yield name.rpartition(".")[2]


def _assignments(
    files: Iterable[SourceFile], universe: Universe, upstream: Sequence[str]
) -> Iterator[Contract]:
    inference = Inference(universe)
    for file in files:
        try:
            # Asked for later: now the tree is at hand.
            placing_digest(file.text)
            context = Context(file, universe, tuple(upstream), inference, Scope(file.module))
            yield from walk(_giving_part(file.text), context, _PUTTING)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue


@lru_cache(maxsize=2)
def _giving_part(source: bytes) -> ast.Module:
    """The module of a text without the functions that give nothing. Raises what ast.parse raises."""
    tree = parse(source)
    return ast.Module(_giving(tree.body), tree.type_ignores)


def _giving(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a module or class without the functions in which nothing is given to an attribute of
    another object: to walk these takes most of the time."""
    kept: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            inside, statement = statement.body, hollow(statement)
            statement.body = _giving(inside)
        elif isinstance(statement, FunctionNode) and not any(map(_gives, every_node(statement))):
            continue
        kept.append(statement)
    return kept


def _gives(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="setattr")):
            return True
        case ast.Call(args=[_, ast.Constant(value=str()), ast.Name() | ast.Attribute(), *_]):
            return True
        case ast.Assign(targets=targets, value=ast.Name() | ast.Attribute() | ast.Call()):
            return any(isinstance(t, ast.Attribute) and not _is_self(t.value) for t in targets)
    return False


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def calls_of_own(
    contracts: Iterable[Contract], own: Mapping[str, StandIn], universe: Universe
) -> set[Contract]:
    """The calls that bind to what the backend assigned, not to upstream's function."""
    closed = binding(own, universe)
    # Kinds that look further into a call carry it along.
    calls = ((contract, getattr(contract, "call", contract)) for contract in contracts)
    return {
        contract
        for contract, call in calls
        if isinstance(call, CallContract)
        and (
            reaches_own(closed, call.symbol, call.aliases, call.place.module)
            or (call.receiver and _is_given(call, closed, universe))
        )
    }


def _is_given(call: CallContract, own: Mapping[str, StandIn], universe: Universe) -> bool:
    """Whether the backend assigns the method onto a class that comes before the one that defines it."""
    receiver = universe.resolve(call.receiver) if own else None
    if receiver is None or receiver.kind != "class":
        return False
    defining = call.symbol.rpartition(".")[0]
    names = [c.name for c in universe.lineage(receiver).classes[call.skip :]]
    before = names[: names.index(defining)] if defining in names else []
    return any(f"{name}.{call.name}" in own for name in before)


def binding(own: Mapping[str, StandIn], universe: Universe) -> dict[str, StandIn]:
    """Those that arguments bind to: a function that takes whatever it is given hands it on."""
    return {name: stand_in for name, stand_in in own.items() if not _is_open(stand_in.own, universe)}


def reaches_own(own: Mapping[str, StandIn], symbol: str, aliases: Sequence[str], module: str) -> bool:
    """Whether a call in a module of the backend reaches what the backend assigned. ``aliases`` are names of
    the symbol: one imported before still means the old one."""
    if f"{symbol}.__init__" in own:
        return True
    reached = [own[name] for name in (symbol, *aliases) if name in own]
    return any(not aliases or stand_in.module != module for stand_in in reached)


def _is_open(own: str, universe: Universe) -> bool:
    found = universe.resolve(own)
    function = found.functions[-1] if found is not None and found.functions else None
    return function is not None and any(p.kind in ("*", "**") for p in function.parameters)
