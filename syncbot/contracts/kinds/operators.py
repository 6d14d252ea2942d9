"""Operators that upstream registers with torch and the backend calls, implements or registers too."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Attribute, Parameter
from syncbot.api.signatures import Arguments, Signature, bind, function_signatures
from syncbot.api.tree import ModuleTree, search_look
from syncbot.api.universe import Universe
from syncbot.contracts.calls.binding import compare_binding
from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.configured_facts import Registrar, SchemaFile
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.calls import unpacked_into
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.operators.registrations import Operator, library, operators, registering
from syncbot.contracts.operators.schema_diff import Schema, compare_schemas
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorContract(Contract):
    """``torch.ops.namespace.name``, called with ``arguments`` or only named; ``symbol`` is
    ``namespace::name``. ``tolerant``: it is tested for; ``declared``: in a file of schemas; ``unpacked``
    counts results."""

    registrars: tuple[Registrar, ...]
    arguments: Arguments | None = None
    tolerant: bool = False
    declared: bool = False
    unpacked: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImplementationContract(Contract):
    """The backend's own function for the operator ``symbol``; ``defines``: upstream must not register it."""

    registrars: tuple[Registrar, ...]
    defines: bool
    signature: Signature | None


@dataclass(frozen=True, slots=True)
class Registration:
    """An operator, the module that registers it, and what it takes if that can be told."""

    operator: Operator
    module: str
    signature: Signature | None


@finder(ast.Attribute)
def find_operators(node: ast.Attribute, context: Context) -> Iterator[OperatorContract]:
    """Operators that the backend does not register, in namespaces of an upstream package, a registrar or a
    file of schemas: other ones belong to other projects or compiled code."""
    reached = _reached(node, context)
    if reached is None or (isinstance(context.parent, ast.Attribute) and context.parent.attr != "default"):
        return
    namespace, file = reached
    name = f"{namespace}::{node.attr}"
    registrars = context.knowledge.registrars
    own = context.universe.tree_of(context.file.module)
    if own is not None:
        told = (*_texts(registrars), "Library(")
        # Whichever package is named, all modules are searched.
        own.note((search_look(own.packages[0], told, _names(name)),))
    if own is None or _registered(own, own.modules, name, registrars):
        return
    above = list(reversed(context.parents))
    callee: ast.AST = node
    call = above.pop(0) if above else None
    if isinstance(call, ast.Attribute):
        callee, call = call, above.pop(0) if above else None
    yield OperatorContract(
        symbol=name,
        registrars=registrars,
        arguments=Arguments.of(call) if isinstance(call, ast.Call) and call.func is callee else None,
        tolerant=tests_for(context.guards, node.attr),
        declared=file is not None,
        unpacked=unpacked_into(above[0] if above else None),
        place=context.place(node),
    )


def _reached(node: ast.Attribute, context: Context) -> tuple[str, SchemaFile | None] | None:
    """The namespace of an upstream operator and the file of schemas that declares it; None for none."""
    schemas = context.knowledge.schemas
    match node.value:
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="torch"), attr="ops"), attr=namespace):
            if namespace in context.upstream or any(
                r.namespace == namespace for r in context.knowledge.registrars
            ):
                return namespace, None
            files = [s for s in schemas if s.namespace == namespace]
        case _ if any(s.modules for s in schemas):
            value = context.infer(node.value)
            module = value.symbol.name if value is not None and value.symbol.kind == "module" else None
            files = [s for s in schemas if module in s.modules]
        case _:
            return None
    return next(((s.namespace, s) for s in files if _declares(s, node.attr, context)), None)


def _declares(schemas: SchemaFile, operator: str, context: Context) -> bool:
    module = schemas.file.rpartition(".")[0].replace("/", ".")
    tree = context.universe.tree_of(module)
    if tree is None:
        return False
    tree.note((module,))
    return bool(_registered(tree, [module], f"{schemas.namespace}::{operator}", ()))


@finder(ast.Call)
def find_implementations(node: ast.Call, context: Context) -> Iterator[ImplementationContract]:
    """Registrations in the backend, of operators or of implementations."""
    registrars = context.knowledge.registrars
    receiver, _, called = (dotted(node.func) or "").rpartition(".")
    if called not in registering(registrars):
        return
    for operator in operators(context.file.text, registrars, _imported(receiver, context)):
        if (operator.line, operator.column) == (node.lineno, node.col_offset):
            yield ImplementationContract(
                symbol=operator.name,
                registrars=registrars,
                defines=operator.defines,
                signature=_signature(operator, context.file.module, context.universe),
                place=context.place(node),
            )


def _imported(name: str, context: Context) -> tuple[tuple[str, str], ...]:
    """The library of operators that another module made and that a name stands for, with its namespace."""
    found = context.universe.local(context.file.module, name) if name else None
    if found is None or found.kind != "variable" or found.module == context.file.module:
        return ()
    values = [n.value for n in found.nodes if isinstance(n, Attribute) and n.value]
    made = expression(values[-1]) if values else None
    namespace = library(made) if made is not None else ""
    return ((name, namespace),) if namespace else ()


def registrations_of(
    name: str, registrars: tuple[Registrar, ...], pair: Comparison
) -> tuple[list[Registration], list[Registration]]:
    """The registrations of the operator ``name`` in the modules that differ between the trees, before and
    after."""
    before = _registrations(pair.old, pair.old_tree, (*pair.changed, *pair.removed), name, registrars)
    after = _registrations(pair.new, pair.new_tree, pair.changed, name, registrars)
    return before, after


@judge(OperatorContract)
def judge_operator(contract: OperatorContract, pair: Comparison) -> Iterator[Finding]:
    """The operator is gone, or the call no longer fits it."""
    before, after = registrations_of(contract.symbol, contract.registrars, pair)
    if not before:
        return
    if not after:
        if not _elsewhere(contract.symbol, contract.registrars, pair):
            yield _gone(contract, before[0], pair)
        return
    if contract.arguments is None:
        return
    old, new = ([r.signature for r in side if r.signature is not None] for side in (before, after))
    if len(new) == len(after):
        callee = f"the operator {contract.symbol}"
        broken = list(compare_binding(contract, contract.symbol, callee, contract.arguments, old, new))
        yield from broken or _changed_schema(contract, contract.arguments, before, after)


def _changed_schema(
    contract: OperatorContract,
    arguments: Arguments,
    before: Sequence[Registration],
    after: Sequence[Registration],
) -> Iterator[Finding]:
    was, now = (_bound(side, arguments) for side in (before, after))
    if contract.declared and was is not None and now is not None:
        yield from compare_schemas(contract, arguments, contract.unpacked, was, now)


def _bound(side: Sequence[Registration], arguments: Arguments) -> Schema | None:
    """The overload that a call reaches."""
    known = (Schema(r.signature, r.operator.results) for r in side if r.signature is not None)
    return next((schema for schema in known if not bind(schema.signature, arguments)), None)


@judge(ImplementationContract)
def judge_implementation(contract: ImplementationContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream registers the same operator now, or the operator takes something else."""
    before, after = registrations_of(contract.symbol, contract.registrars, pair)
    defined_before = any(r.operator.defines for r in before)
    defining = [r for r in after if r.operator.defines]
    if contract.defines:
        if defining and not defined_before and not _elsewhere(contract.symbol, contract.registrars, pair):
            reason = (
                f"{defining[0].module} now registers {contract.symbol} too: "
                "an operator that is registered twice raises"
            )
            kind, ground = ChangeKind.OPERATOR_TAKEN, Ground.REGISTERED_TWICE
            yield Finding(contract, kind, contract.symbol, ground, reason)
        return
    if not defined_before:
        return
    if not defining:
        if not _elsewhere(contract.symbol, contract.registrars, pair):
            yield _gone(contract, before[0], pair)
        return
    old = next((r.signature for r in before if r.operator.defines), None)
    new, ours = defining[-1].signature, contract.signature
    if old is None or new is None or ours is None:
        return
    if _given(ours, old) and not _given(ours, new):
        reason = f"{contract.symbol} took {old} and now takes {new}, which this implementation does not"
        kind, ground = ChangeKind.OPERATOR_CHANGED, Ground.IMPLEMENTATION_DIFFERS
        yield Finding(contract, kind, contract.symbol, ground, reason)


def _given(ours: Signature, schema: Signature) -> bool:
    """Whether an implementation takes a schema's arguments, by place or, if keyword-only, by name."""
    keywords = tuple(p.name for p in schema.parameters if p.kind == "key")
    return not bind(ours, Arguments(len(schema.positional), keywords))


def _gone(contract: Contract, was: Registration, pair: Comparison) -> Finding:
    renamed = _renamed(contract, was, pair)
    kind = ChangeKind.OPERATOR_REMOVED if renamed is None else ChangeKind.OPERATOR_RENAMED
    reason = f"nothing upstream registers the operator {contract.symbol} any more"
    if renamed is not None:
        reason += f"; it is {renamed} now"
    tolerant = isinstance(contract, OperatorContract) and contract.tolerant
    ground = Ground.TESTED_FOR if tolerant else Ground.REGISTRATION_GONE
    details = NameDetails(old=contract.symbol, new=renamed)
    return Finding(contract, kind, contract.symbol, ground, reason, details=details)


def _renamed(contract: Contract, was: Registration, pair: Comparison) -> str | None:
    """The one operator that its module registers now and did not before, if it takes the same."""
    registrars = getattr(contract, "registrars", ())
    known = {o.name for o in _operators(pair.old_tree, was.module, registrars)}
    come = [o for o in _operators(pair.new_tree, was.module, registrars) if o.name not in known]
    same = [
        o.name
        for o in come
        if was.signature is not None and _signature(o, was.module, pair.new) == was.signature
    ]
    return same[0] if len(same) == 1 else None


def _registrations(
    universe: Universe, tree: ModuleTree, modules: Sequence[str], name: str, registrars: tuple[Registrar, ...]
) -> list[Registration]:
    found = []
    for module, operator in _registered(tree, modules, name, registrars):
        tree.note((module,))
        found.append(Registration(operator, module, _signature(operator, module, universe)))
    return sorted(found, key=lambda r: r.operator.defines)


def _elsewhere(name: str, registrars: tuple[Registrar, ...], pair: Comparison) -> bool:
    """Whether a module that is the same in both trees registers the operator."""
    same = [m for m in pair.new_tree.modules if pair.old_tree.blob(m) == pair.new_tree.blob(m)]
    return any(o.defines for _, o in _registered(pair.new_tree, same, name, registrars))


def _registered(
    tree: ModuleTree, modules: Iterable[str], name: str, registrars: tuple[Registrar, ...]
) -> list[tuple[str, Operator]]:
    mentioning = tree.mentioning(_registering(tree, tuple(modules), registrars), *_names(name))
    found = [(m, o) for m in mentioning for o in _operators(tree, m, registrars)]
    return [(m, o) for m, o in found if o.name.partition(".")[0] == name]


@lru_cache(maxsize=8)
def _registering(
    tree: ModuleTree, modules: tuple[str, ...], registrars: tuple[Registrar, ...]
) -> tuple[str, ...]:
    """Those of some modules that can register anything at all: the same for every operator asked for."""
    return tuple(tree.mentioning(modules, *_texts(registrars)))


def _texts(registrars: tuple[Registrar, ...]) -> tuple[str, ...]:
    return tuple(f"{name}(" for name in registering(registrars))


def _names(name: str) -> tuple[str, ...]:
    """How a text that registers an operator has its name: it begins a string, or stands behind its namespace
    in one. Most modules that have it otherwise call it."""
    last = name.partition("::")[2]
    return (f"'{last}", f'"{last}', f"::{last}")


def _operators(tree: ModuleTree, module: str, registrars: tuple[Registrar, ...]) -> tuple[Operator, ...]:
    source = tree.source(module)
    return operators(source, registrars) if source is not None else ()


def _signature(operator: Operator, module: str, universe: Universe) -> Signature | None:
    taken: tuple[Parameter, ...] | None = operator.parameters
    if taken is None and operator.function is not None:
        found = universe.local(module, operator.function)
        if found is not None and found.functions:
            return function_signatures(found.functions, bound=False)[-1]
    return Signature(taken) if taken is not None else None
