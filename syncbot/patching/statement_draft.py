"""The beginning of a rewrite for an author: one of our statements, in both its forms."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import children
from syncbot.api.newer_syntax import parsed
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.patching.statement_rules import Lines, first_line

# What is longer is not quoted: a change of so much is written anew.
LONGEST = 40


def sketch(text: str, path: str, line: int, target: str) -> ReplaceStatement | None:
    """The replacement of the smallest statement at a line that ``target`` holds once at the same place; None
    for none of at most ``LONGEST`` lines."""
    try:
        tree = parsed(text.lstrip("\ufeff"))
    except SyntaxError:
        return None
    lines = text.split("\n")
    for within, first, last in _around(tree, line):
        if last - first >= LONGEST:
            break
        code = "\n".join(each.rstrip("\r") for each in lines[first - 1 : last])
        try:
            rule = ReplaceStatement(file=path, within=within, before=code, after=code)
            there = Lines(target, path)
            there.find_one(rule.before, there.definition(within), path)
        except (ValueError, NoMatch, CannotRewrite):
            continue
        return rule
    return None


def _around(tree: ast.Module, line: int) -> Iterator[tuple[str | None, int, int]]:
    """The statements around a line, the smallest first: where each stands, its first and last line."""
    found: list[tuple[str | None, int, int]] = []
    within: str | None = None
    body: list[ast.stmt] = tree.body
    while (here := next((s for s in body if _first(s) <= line <= _last(s)), None)) is not None:
        found.append((within, _first(here), _last(here)))
        if isinstance(here, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            within = here.name if within is None else f"{within}.{here.name}"
        body = list(_statements(here))
    yield from reversed(found)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements directly inside another one, in handlers and cases too."""
    for child in children(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from _statements(child)


def _first(node: ast.stmt) -> int:
    return first_line(node) + 1


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
