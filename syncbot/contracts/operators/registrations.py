"""Operators that Python code registers with torch by name
(https://docs.pytorch.org/docs/stable/library.html). What else registers operators is data:
`syncbot.contracts.configured_facts.Registrar`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.model import Parameter, Passing
from syncbot.api.remembered_answers import remembered
from syncbot.api.statement_parts import parameters
from syncbot.api.syntax import parsed
from syncbot.contracts.configured_facts import Registrar

_DEFINING = ("custom_op", "triton_op", "define")
_IMPLEMENTING = ("impl", "register_kernel")


@dataclass(frozen=True, slots=True)
class Operator:
    """One registration of ``namespace::name``. ``function`` is what the module registers; ``parameters`` and
    ``results`` are known from a schema or a decorated function; ``defines`` is false for one more
    implementation."""

    name: str
    line: int
    column: int
    defines: bool = True
    function: str | None = None
    parameters: tuple[Parameter, ...] | None = None
    results: str | None = None


@remembered(2048)
def operators(
    source: bytes, registrars: tuple[Registrar, ...] = (), imported: tuple[tuple[str, str], ...] = ()
) -> tuple[Operator, ...]:
    """The operators that a module's text registers; none where it does not parse. ``imported`` are libraries
    that another module made: the name of each here, and its namespace."""
    if not any(f"{name}(".encode() in source for name in registering(registrars)):
        return ()
    tree = parsed(source)
    nodes = list(every_node(tree)) if tree is not None else []
    known = {**dict(imported), **dict(libraries(nodes))}
    decorated = {id(d): n for n in nodes if isinstance(n, FunctionNode) for d in n.decorator_list}
    found: list[Operator] = []
    for node in nodes:
        if isinstance(node, ast.Call):
            operator = _operator(node, decorated.get(id(node)), known, registrars)
            if operator is not None:
                found.append(operator)
    return tuple(found)


def registering(registrars: tuple[Registrar, ...]) -> tuple[str, ...]:
    """The last parts of the names of functions that register something."""
    return (*_DEFINING, *_IMPLEMENTING, *(r.function.rpartition(".")[2] for r in registrars))


def schema_parameters(schema: str) -> tuple[Parameter, ...]:
    """The parameters of ``name(Tensor a, int b=1, *, float? c) -> Tensor``."""
    head, arrow, _ = schema.rpartition("->")
    inside = (head if arrow else schema).partition("(")[2]
    found: list[Parameter] = []
    kind: Passing = "any"
    for part in split(inside.strip().removesuffix(")")):
        if part == "*":
            kind = "key"
            continue
        declared, has_default, default = part.partition("=")
        type_, _, name = declared.rpartition(" ")
        found.append(Parameter(name, kind, default if has_default else None, type_ or None))
    return tuple(found)


def schema_results(schema: str) -> str | None:
    """Return what stands behind the arrow of a schema, None without one."""
    _, arrow, results = schema.rpartition("->")
    return results.strip() if arrow else None


def split(text: str) -> Iterator[str]:
    """The parts between commas that stand in no brackets."""
    depth, part = 0, ""
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += character
    if part.strip():
        yield part.strip()


def libraries(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Variables that hold a ``Library("namespace", …)``."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=variable)], value=value) if name := library(value):
                yield variable, name


def library(value: ast.expr) -> str:
    """The namespace of ``Library("namespace", …)``, empty for anything else."""
    match value:
        case ast.Call(func=called, args=[ast.Constant(value=str(name)), *_]):
            return name if (dotted(called) or "").rpartition(".")[2] == "Library" else ""
    return ""


def _operator(
    node: ast.Call,
    below: FunctionNode | None,
    libraries: Mapping[str, str],
    registrars: tuple[Registrar, ...],
) -> Operator | None:
    called = (dotted(node.func) or "").rpartition(".")[2]
    for registrar in registrars:
        if called == registrar.function.rpartition(".")[2]:
            return _by_registrar(node, registrar, libraries)
    name = _name(node, libraries) if called in (*_DEFINING, *_IMPLEMENTING) else None
    if name is None:
        return None
    defines = called in _DEFINING
    schemas = [a.value for a in node.args[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    schema = next((s for s in schemas if "(" in s), None)
    function: str | None = None
    taken = schema_parameters(schema) if schema is not None else None
    if below is not None and called != "define":
        function, taken = below.name, parameters(below.args)
    elif taken is None and len(node.args) > 1:
        function = dotted(node.args[1])
    results = schema_results(schema) if schema is not None else None
    return Operator(name, node.lineno, node.col_offset, defines, function, taken, results)


def _name(node: ast.Call, libraries: Mapping[str, str]) -> str | None:
    """``namespace::name`` of what a call of torch's own functions registers, as its first argument says."""
    receiver = (dotted(node.func) or "").rpartition(".")[0]
    match node.args:
        case [ast.Constant(value=str(text)), *_]:
            written = text.partition("(")[0]
            if receiver in libraries:
                return f"{libraries[receiver]}::{written}"
            if "::" in written and receiver.rpartition(".")[2] in ("", "library"):
                return written
    return None


def _by_registrar(node: ast.Call, registrar: Registrar, libraries: Mapping[str, str]) -> Operator | None:
    keywords = {k.arg: k.value for k in node.keywords if k.arg}
    positional = dict(enumerate(node.args))
    name = keywords.get(registrar.name) or positional.get(registrar.name_position)
    function = keywords.get(registrar.implementation) or positional.get(registrar.implementation_position)
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    values = [dotted(value) or "" for value in (*node.args, *keywords.values())]
    namespace = next((libraries[v] for v in values if v in libraries), registrar.namespace)
    taken = parameters(function.args) if isinstance(function, ast.Lambda) else None
    written = dotted(function) if function is not None else None
    return Operator(f"{namespace}::{name.value}", node.lineno, node.col_offset, True, written, taken)
