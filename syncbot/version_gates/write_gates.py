"""A rewritten text beside the one before it, chosen by the project's own test of the version. The result is
checked as syntax: one branch everywhere gives the one text, the other the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from syncbot.api.every_node import every_node
from syncbot.patching.errors import CannotRewrite
from syncbot.version_gates.remove_gates import selected
from syncbot.version_gates.version_tests import Gate

_BLOCKS = ("body", "orelse", "finalbody")
_ROOM = "    "


def gated(before: str, after: str, gate: Gate, version: str, path: str) -> str:
    """Return the text that is ``before`` on a version and ``after`` on all others. Raises CannotRewrite."""
    if "\t" in before or "\r" in before:
        raise CannotRewrite(f"{path}: it has tabs or Windows line ends; write the gate by hand")
    old, new = _Text(before), _Text(after)
    if gate.module is not None and path.removesuffix(".py").replace("/", ".").endswith(gate.module):
        raise CannotRewrite(f"{path}: it defines the gate itself; write the gate by hand")
    lines: list[str] = []
    at = 0
    for start, end, kept, fresh in _merged(old, old.tree.body, new, new.tree.body, path):
        lines += [*old.lines[at:start], *_choice(gate.of(version), kept, fresh)]
        at = end
    text = _with_import("\n".join([*lines, *old.lines[at:]]), gate)
    for branch, wanted in ((True, before), (False, after)):
        taken = selected(text, gate, [version], branch, path)
        if _shape(taken, gate) != _shape(wanted, gate):
            raise CannotRewrite(f"{path}: the two versions cannot be told apart by a gate; write it by hand")
    return text


class _Text:
    """A text as lines and syntax."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text.lstrip("\ufeff"))
        self.lines = text.split("\n")

    def block(self, statement: ast.stmt | None) -> tuple[str, list[str]]:
        """The indentation of a statement and its lines one step further in, strings left as they are."""
        if statement is None:
            return "", []
        start, end = _first(statement), _last(statement)
        inside = {
            line
            for node in every_node(statement)
            if isinstance(node, ast.Constant | ast.JoinedStr) and isinstance(getattr(node, "value", ""), str)
            for line in range(node.lineno, _last(node))
        }
        first = self.lines[start]
        indent = first[: len(first) - len(first.lstrip())]
        lines = [
            line if number in inside or not line.strip() else _ROOM + line
            for number, line in enumerate(self.lines[start:end], start)
        ]
        return indent, lines


def _merged(
    old: _Text, was: Sequence[ast.stmt], new: _Text, now: Sequence[ast.stmt], path: str
) -> Iterator[tuple[int, int, tuple[str, list[str]], tuple[str, list[str]]]]:
    """Yield the differences between two blocks: the old lines, and both sides of the choice."""
    left, right = [ast.dump(n) for n in was], [ast.dump(n) for n in now]
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for one, other in zip_longest(was[i1:i2], now[j1:j2]):
            if one is not None and other is not None and _same_head(one, other):
                for name in _BLOCKS:
                    yield from _merged(old, getattr(one, name, []), new, getattr(other, name, []), path)
                continue
            if one is not None:
                start, end = _first(one), _last(one)
                _alone(old, one, path)
            elif i2 > 0:
                start = end = _last(was[i2 - 1])
            else:
                raise CannotRewrite(f"{path}: there is nothing to put a gate behind; write it by hand")
            yield start, end, old.block(one), new.block(other)


def _choice(test: str, kept: tuple[str, list[str]], fresh: tuple[str, list[str]]) -> list[str]:
    indent = kept[0] if kept[1] else fresh[0]
    if not kept[1]:
        return [f"{indent}if not {test}:", *fresh[1]]
    lines = [f"{indent}if {test}:", *kept[1]]
    return [*lines, f"{indent}else:", *fresh[1]] if fresh[1] else lines


def _same_head(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two compound statements differ in their blocks only."""
    if type(one) is not type(other) or not hasattr(one, "body") or isinstance(one, ast.Try | ast.Match):
        return False
    heads = [
        type(node)(**{name: value for name, value in ast.iter_fields(node) if name not in _BLOCKS})
        for node in (one, other)
    ]
    return ast.dump(heads[0]) == ast.dump(heads[1])


def _alone(text: _Text, node: ast.stmt, path: str) -> None:
    """Raise CannotRewrite unless a statement has its lines for itself."""
    first = text.lines[_first(node)]
    last = text.lines[_last(node) - 1]
    before, behind = first[: node.col_offset], last.encode()[node.end_col_offset or 0 :].decode()
    decorated = bool(getattr(node, "decorator_list", []))
    if (before.strip() and not decorated) or (behind.strip() and not behind.lstrip().startswith("#")):
        raise CannotRewrite(f"{path}:{node.lineno}: several statements on one line; write the gate by hand")


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)]) - 1


def _last(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


def _with_import(text: str, gate: Gate) -> str:
    """The text with the import that the gate needs, before the first statement that may use it."""
    tree = ast.parse(text.lstrip("\ufeff"))
    if gate.line is None or any(_binds(node, gate.name) for node in tree.body):
        return text
    lines = text.split("\n")
    body = tree.body if ast.get_docstring(tree) is None else tree.body[1:]
    at = next(_first(n) for n in body if not (isinstance(n, ast.ImportFrom) and n.module == "__future__"))
    return "\n".join([*lines[:at], gate.line, *lines[at:]])


def _binds(node: ast.stmt, name: str) -> bool:
    names = getattr(node, "names", []) if isinstance(node, ast.Import | ast.ImportFrom) else []
    return any((alias.asname or alias.name) == name for alias in names) or getattr(node, "name", "") == name


def _shape(text: str, gate: Gate) -> str:
    """A text as syntax, without the import of the gate."""
    tree = ast.parse(text.lstrip("\ufeff"))
    for node in list(tree.body):
        if isinstance(node, ast.ImportFrom) and node.module == gate.module:
            node.names = [alias for alias in node.names if alias.name != gate.name]
            if not node.names:
                tree.body.remove(node)
    return ast.dump(tree)
