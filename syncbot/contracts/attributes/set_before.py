"""Attributes that the code itself sets on an object before it reads them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, named_arguments, string
from syncbot.api.remembered_answers import remembered

_SET = re.compile(rb"\.([\w\x80-\xff]+)[ \t]*(?:[:=]|(?=,[\w \t.,\x80-\xff]*=))")
_SET_BY_TEXT = re.compile(rb"setattr\([^,()]+,\s*[\"']([\w\x80-\xff]+)[\"']")


def set_before(parents: Sequence[ast.AST], node: ast.Attribute, source: bytes) -> bool:
    """Whether a statement that always runs before a read, in the same function, has assigned the attribute
    to the same object, and nothing is bound to its name since; ``source`` is the text of the module."""
    what = dotted(node)
    # Most are set nowhere in the file, which its text tells at once.
    if what is None or node.attr.encode() not in _may_be_set(source):
        return False
    since: list[ast.AST] = []
    for earlier, is_before in _earlier(parents, node):
        if is_before and _assigns(earlier, what):
            return not any(_binds(between, what) for between in since)
        since.append(earlier)
    return False


@remembered(16)
def _may_be_set(source: bytes) -> frozenset[bytes]:
    """The names of attributes in a text that a sign of an assignment or annotation follows, or that
    ``setattr`` is given."""
    return frozenset((*_SET.findall(source), *_SET_BY_TEXT.findall(source)))


def _earlier(parents: Sequence[ast.AST], node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """The statements that stand before a node in the blocks around it, the nearest first, and after each
    block what it is a block of, up to the outermost function; whether it stands before."""
    inner = node
    outermost = next((at for at, parent in enumerate(parents) if isinstance(parent, FunctionNode)), 0)
    for depth, parent in reversed([*enumerate(parents)]):
        for _, block in ast.iter_fields(parent):
            if isinstance(block, list) and any(inner is statement for statement in block):
                at = next(i for i, one in enumerate(block) if one is inner)
                yield from ((one, True) for one in reversed(block[:at]))
        # What a function does that stands in another one comes later than what stands before it.
        if isinstance(parent, ast.Lambda | ast.ClassDef) or (
            isinstance(parent, FunctionNode) and depth == outermost
        ):
            return
        yield parent, False
        inner = parent


def _assigns(statement: ast.AST, what: str) -> bool:
    match statement:
        case ast.Assign(targets=targets):
            several = [t.elts if isinstance(t, ast.Tuple | ast.List) else [t] for t in targets]
            return any(dotted(target) == what for each in several for target in each)
        case ast.AnnAssign(target=target, value=ast.expr()):
            return dotted(target) == what
        # Also pytest's ``monkeypatch.setattr``, and that whether the attribute was there or not.
        case ast.Expr(value=ast.Call(func=function, args=[owner, named, _], keywords=keywords)):
            called, _, last = (dotted(function) or "").rpartition(".")
            set_so = last == "setattr" and f"{dotted(owner)}.{string(named)}" == what
            return set_so and (not called or _may_be_missing(keywords))
    return False


def _may_be_missing(keywords: Sequence[ast.keyword]) -> bool:
    return any(k.arg == "raising" and ast.unparse(k.value) == "False" for k in keywords)


def _binds(node: ast.AST, what: str) -> bool:
    """Whether something within a node binds a name, or an object on the way to the attribute, anew, or
    deletes."""
    if isinstance(node, FunctionNode) and what.partition(".")[0] in {
        a.arg for a in named_arguments(node.args)
    }:
        return True
    return any(
        isinstance(n, ast.Name | ast.Attribute)
        and isinstance(n.ctx, ast.Store | ast.Del)
        and (isinstance(n.ctx, ast.Del) or what.startswith(f"{dotted(n)}."))
        for n in every_node(node)
    )
