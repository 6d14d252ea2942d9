"""Finds a module's declarations in calls and literals: variables, options, operators, registry entries."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted, string, text
from syncbot.api.syntax import parse

_VALUE_LIMIT = 80
#: A literal dictionary with at least so many keys, all of them texts, is taken for a registry.
REGISTRY_KEYS = 5
#: Most modules have none of these and are not parsed.
_HINT = re.compile(
    rb"environ|getenv|env\w*\(\s*['\"]|add_argument|ption\(|register|custom_op|\.define\(|\{\s*(#[^\n]*)?\n\s*['\"]"
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
_OPERATOR = re.compile(r"(?:[a-z_]*register[a-z_]*_op|custom_op)$")
_SCHEMA = re.compile(r"\s*([\w:.]+)\s*\(.*\)\s*->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Declared:
    """One declaration. ``kind`` is ``environment`` or ``option`` (``value``: the default), ``registry``
    (``name`` is ``TABLE[key]``), ``operator`` (the schema) or ``registration`` (``….register("name")``;
    ``value`` is the callee). Values are source text, cut at 80 characters."""

    kind: str
    name: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """The declarations of one module, sorted."""

    items: tuple[Declared, ...] = ()


def extract_declared(source: bytes) -> DeclaredTable:
    """The declarations in a module's text; none where it does not parse."""
    if not _HINT.search(source):
        return DeclaredTable()
    try:
        tree = parse(source)
        found = {*_calls(tree), *_registries(tree)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return DeclaredTable()
    variables = {item.name for item in found if item.kind == "environment"}
    keys = {item: item.name.partition("[")[2].removesuffix("]") for item in found if item.kind == "registry"}
    kept = (item for item in found if keys.get(item) not in variables)
    return DeclaredTable(tuple(sorted(kept, key=lambda i: (i.kind, i.name, i.value or ""))))


def _calls(tree: ast.Module) -> Iterator[Declared]:
    for node in every_node(tree):
        match node:
            case ast.Call(func=ast.Name() | ast.Attribute()):
                yield from _called(node, dotted(node.func) or "")
            case ast.Subscript(
                value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name)), ctx=ast.Load()
            ):
                yield Declared("environment", name)


def _called(node: ast.Call, callee: str) -> Iterator[Declared]:
    last = callee.rpartition(".")[2]
    given = {k.arg: k.value for k in node.keywords if k.arg}
    first = string(node.args[0]) if node.args else None
    if first is not None and _reads_environment(callee, last) and _VARIABLE.fullmatch(first):
        default = node.args[1] if len(node.args) > 1 else given.get("default")
        yield Declared("environment", first, _short(default))
    elif last in ("add_argument", "add_option", "option", "Option"):
        texts = (text for argument in node.args if (text := string(argument)) is not None)
        names = [text for text in texts if re.fullmatch(r"--?[A-Za-z][\w./-]*", text)]
        if names:
            yield Declared("option", max(names, key=len), _short(given.get("default")))
    else:
        yield from _registered(callee, last, first, given)


def _registered(
    callee: str, last: str, first: str | None, given: Mapping[str, ast.expr]
) -> Iterator[Declared]:
    """Yield the declaration that a call makes by a name: its argument ``first``, or one in ``given``."""
    if last == "define" and first is not None and (schema := _SCHEMA.match(first)):
        yield Declared("operator", schema[1], " ".join(first.split())[:_VALUE_LIMIT])
    elif _OPERATOR.search(last):
        name = next((v for k in ("op_name", "name") if (v := string(given.get(k)))), None)
        if name or first is not None:
            yield Declared("operator", name or str(first))
    elif last == "register" and first is not None:
        yield Declared("registration", first, callee)


def _reads_environment(callee: str, last: str) -> bool:
    return last == "getenv" or callee.endswith("environ.get") or "env" in last.lower().split("_")


def _registries(tree: ast.Module) -> Iterator[Declared]:
    """The entries of dictionaries in the bodies of the module and of its classes."""
    for body in (tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))):
        for node in body:
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as value)
                ):
                    yield from _entries(name, value)


def _entries(table: str, node: ast.Dict) -> Iterable[Declared]:
    pairs = [(string(k), v) for k, v in zip(node.keys, node.values, strict=True) if k is not None]
    if len(pairs) >= REGISTRY_KEYS and all(key is not None for key, _ in pairs):
        for key, value in pairs:
            yield Declared("registry", f"{table}[{key}]", _short(value))


def _short(node: ast.expr | None) -> str | None:
    shown = text(node)
    if shown is None or len(shown) <= _VALUE_LIMIT:
        return shown
    return f"{shown[: _VALUE_LIMIT - 1]}…"
