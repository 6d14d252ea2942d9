"""The operators that Python code names: torch_npu's, and those of namespaces below ``torch.ops``."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

#: Names of torch_npu itself that are operators, whether a wheel declares them or not.
_OPERATOR = re.compile(r"_?npu_\w+")
_NAMESPACE = "npu"
#: Whatever names an operator starts from one of these.
_MENTION = re.compile(r"torch_npu|torch\.ops|from torch import\b[^\n]*\bops\b")


@dataclass(frozen=True, order=True)
class Named:
    """An operator as it is named in a line; ``overload`` is empty where none is named."""

    namespace: str
    name: str
    overload: str
    line: int


def in_text(text: str, namespaces: Collection[str], known: Collection[str] = ()) -> tuple[Named, ...]:
    """Return the operators that Python code names, in the order of its lines.

    ``namespaces`` are those of the plugin's own operators below ``torch.ops``; ``known`` are operators of
    torch_npu whose names do not show it. Imports under other names and simple assignments are followed,
    whatever scope they stand in. Raises SyntaxError.
    """
    if not _MENTION.search(text):
        return ()
    nodes = tuple(ast.walk(ast.parse(text)))
    reader = _Reader(frozenset(namespaces) | {_NAMESPACE}, frozenset(known), _aliases(nodes))
    return tuple(sorted(set(reader.named(nodes)), key=lambda each: (each.line, each)))


@dataclass(frozen=True)
class _Reader:
    namespaces: frozenset[str]
    known: frozenset[str]
    aliases: dict[str, str]

    def named(self, nodes: Iterable[ast.AST]) -> Iterator[Named]:
        """Yield the operators that the nodes of a tree name; a node stands before what is in it."""
        inner: set[int] = set()
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                yield from self._imported(node)
            elif isinstance(node, ast.Attribute | ast.Name | ast.Call) and id(node) not in inner:
                # What a longer expression names is named once.
                inner.update(id(part) for part in _links(node))
                yield from self._operator(_dotted(node, self.aliases), node.lineno)

    def _imported(self, node: ast.ImportFrom) -> Iterator[Named]:
        for alias in node.names:
            yield from self._operator(f"{node.module}.{alias.name}", node.lineno)

    def _operator(self, dotted: str, line: int) -> Iterator[Named]:
        parts = dotted.split(".")
        if parts[:2] == ["torch", "ops"] and len(parts) > 3 and parts[2] in self.namespaces:
            yield Named(parts[2], parts[3], _overload(parts[4:]), line)
        elif parts[0] == "torch_npu" and len(parts) > 1 and self._is_operator(parts[1]):
            yield Named(_NAMESPACE, parts[1], _overload(parts[2:]), line)

    def _is_operator(self, name: str) -> bool:
        return _OPERATOR.fullmatch(name) is not None or name in self.known


def _overload(rest: list[str]) -> str:
    return rest[0] if rest and rest[0] != "default" and not rest[0].startswith("_") else ""


def _aliases(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Name → what it stands for, of imports and of assignments that lead to torch."""
    found: dict[str, str] = {}
    assigned: list[tuple[str, ast.expr]] = []
    for node in nodes:
        match node:
            case ast.Import():
                found |= {a.asname: a.name for a in node.names if a.asname}
            case ast.ImportFrom(level=0, module=str(module)):
                found |= {a.asname or a.name: f"{module}.{a.name}" for a in node.names}
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                assigned.append((name, value))
    for name, value in assigned:
        dotted = _dotted(value, found)
        if dotted.partition(".")[0] in ("torch", "torch_npu") and dotted != name:
            found.setdefault(name, dotted)
    return found


def _dotted(node: ast.AST, aliases: dict[str, str]) -> str:
    """Return the dotted name of names, attributes and ``getattr`` with a literal; else an empty text."""
    match node:
        case ast.Name(id=name):
            return aliases.get(name, name)
        case ast.Attribute(value=value, attr=attribute):
            return f"{_dotted(value, aliases)}.{attribute}"
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[value, ast.Constant(value=str(attribute)), *_]):
            return f"{_dotted(value, aliases)}.{attribute}"
    return ""


def _links(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions that ``node`` takes an attribute of, one after the other."""
    while True:
        match node:
            case ast.Attribute(value=value):
                node = value
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[value, *_]):
                node = value
            case _:
                return
        yield node
