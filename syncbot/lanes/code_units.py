"""The parts of a Python file that runs depend on: functions, and the code that runs when it is imported.

Comments, docstrings, blank lines and annotations of types alone are no part of either.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

import yaml

from syncbot.patching.yaml_documents import loaded

#: The name of the code that runs when a module is imported.
IMPORTED = ""
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = _Function | ast.ClassDef | ast.Module
_C = (".c", ".cc", ".cpp", ".cu", ".h", ".hpp")
_C_COMMENT = re.compile(rb'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Units:
    """The parts of a module: the digest of each function by its dotted name, those inside of others being
    part of them, and of what its import runs (``IMPORTED``), which is everything but bodies of functions.
    ``plain`` are functions whose definition runs nothing: nobody notices a new one who does not name it.
    ``named`` are the names that each part reads."""

    digests: Mapping[str, str]
    plain: frozenset[str] = frozenset()
    named: Mapping[str, frozenset[str]] = field(default_factory=dict)


@lru_cache(maxsize=8192)
def units(source: bytes) -> Units:
    """The parts of a Python source; one of its bytes where it cannot be parsed or is nested too deep."""
    try:
        return _parts(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        return Units({IMPORTED: _digest(source)})


def _parts(tree: ast.Module) -> Units:
    _without_docstring(tree)
    for node in _statements(tree):
        if isinstance(node, _Scope):
            _without_docstring(node)
    found = list(_functions(tree))
    names = _numbered(name for name, _ in found)
    functions = dict(zip(names, (node for _, node in found), strict=True))
    parts = {name: _part(node) for name, node in functions.items()}
    counts = Counter(name for name, _ in found)
    plain = {name for name, node in functions.items() if counts[name] == 1 and _is_plain(node, tree)}
    for node in functions.values():
        node.body = []
    tree.body = [node for node in tree.body if getattr(node, "name", None) not in plain]
    for node in _statements(tree):
        if isinstance(node, ast.If) and _is_for_types(node.test):
            node.body = []
    parts[IMPORTED] = _part(tree)
    digests = {name: digest for name, (digest, _) in parts.items()}
    return Units(digests, frozenset(plain), {name: named for name, (_, named) in parts.items()})


def of_data(path: str, content: bytes) -> str:
    """The digest of a file that is no Python: of what it says, where that can be told from its comments."""
    try:
        if path.endswith((".yaml", ".yml")):
            return _digest(json.dumps(loaded(content.decode()), sort_keys=True, default=str).encode())
        if path.endswith(".toml"):
            return _digest(json.dumps(tomllib.loads(content.decode()), sort_keys=True, default=str).encode())
    except (ValueError, yaml.YAMLError, RecursionError):
        return _digest(content)
    if path.endswith(_C):
        return _digest(b" ".join(_C_COMMENT.sub(lambda m: m[1] or b" ", content).split()))
    return _digest(content)


def _functions(tree: ast.AST, outer: str = "") -> Iterator[tuple[str, _Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Function):
            yield f"{outer}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{outer}{node.name}.")
        elif not isinstance(node, ast.expr):
            yield from _functions(node, outer)


def _numbered(names: Iterable[str]) -> list[str]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return found


def _without_docstring(node: _Scope) -> None:
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            node.body = rest


def _is_plain(node: _Function, module: ast.Module) -> bool:
    """Whether a function of the module itself has no decorator, and no default that is more than a value."""
    defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    return (
        node in module.body
        and not node.decorator_list
        and all(isinstance(each, ast.Constant) for each in defaults)
    )


def _is_for_types(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements inside of a statement or of a module, which no expression holds."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, name, ()):
            yield child
            yield from _statements(child)


def _part(tree: ast.AST) -> tuple[str, frozenset[str]]:
    """The digest of a tree, and the names that it reads."""
    named: set[str] = set()
    return _digest(_as_json(tree, named).encode()), frozenset(named)


def _as_json(node: Any, named: set[str]) -> str:
    """A tree as lists in JSON, the same on every Python: without places, and without what is empty. Adds the
    names that it reads to those that are ``named``."""
    if isinstance(node, str):
        return quoted(node)
    if isinstance(node, list):
        return f"[{', '.join([_as_json(each, named) for each in node])}]"
    if not isinstance(node, ast.AST):
        return quoted(repr(node))
    if isinstance(node, ast.Name):
        named.add(node.id)
    elif isinstance(node, ast.Attribute):
        named.add(node.attr)
    elif isinstance(node, ast.alias):
        named.update(node.name.split("."))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        named.add(node.value)
    found = [f'"{type(node).__name__}"']
    for name in node._fields:
        value = getattr(node, name, None)
        if name != "kind" and value is not None and value != []:
            found.append(f'["{name}", {_as_json(value, named)}]')
    return f"[{', '.join(found)}]"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_LENGTH]
