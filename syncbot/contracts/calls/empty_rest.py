"""Keywords that a function of the backend takes with ``**rest`` and hands on, where none of its callers
passes more than it declares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.contracts.context import Context
from syncbot.contracts.unreached.named_as_value import mentions


def without_empty_rest(call: ast.Call, context: Context) -> ast.Call:
    """A call without the ``**rest`` of the function around it, where that is seen to be empty."""
    function = context.function
    rest = function.args.kwarg.arg if function is not None and function.args.kwarg is not None else None
    handed = [
        k for k in call.keywords if k.arg is None and isinstance(k.value, ast.Name) and k.value.id == rest
    ]
    if function is None or rest is None or not handed or context.qualname != (function.name,):
        return call
    tree = context.universe.tree_of(context.file.module)
    if tree is None or function.decorator_list or not _only_hands_on(function, rest):
        return call
    if not _all_declared(tree, function, context):
        return call
    kept = [keyword for keyword in call.keywords if keyword not in handed]
    return ast.copy_location(ast.Call(func=call.func, args=call.args, keywords=kept), call)


def _only_hands_on(function: FunctionNode, rest: str) -> bool:
    """Whether nothing is put into the dictionary: it stands behind stars alone."""
    starred = (n for n in every_node(function) if isinstance(n, ast.keyword) and n.arg is None)
    handed = {id(keyword.value) for keyword in starred}
    named = (n for n in every_node(function) if isinstance(n, ast.Name) and n.id == rest)
    return all(id(name) in handed for name in named)


def _all_declared(tree: ModuleTree, function: FunctionNode, context: Context) -> bool:
    """Whether the backend calls a function, hands it to nobody, and passes it nothing that it does not
    name."""
    found = [
        m for m in mentions(tree, function.name) or () if not _is_another(m.module, function.name, context)
    ]
    if not found or not all(mention.called for mention in found):
        return False
    arguments = function.args
    declared = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    passed = [
        keyword
        for module in dict.fromkeys(mention.module for mention in found)
        for keyword in _keywords(tree.source(module) or b"", function.name)
    ]
    return None not in passed and declared.issuperset(k for k in passed if k is not None)


def _is_another(module: str, name: str, context: Context) -> bool:
    """Whether a name means something else in a module than in the one at hand."""
    here, there = context.file.module, context.universe.local(module, name)
    return module != here and there is not None and there.module != here


@remembered(256)
def _keywords(source: bytes, name: str) -> tuple[str | None, ...]:
    """The keywords of all calls of a name in a text, None for what is passed with two stars."""
    tree = parsed(source) if re.search(rb"\b%s\b" % re.escape(name.encode()), source) else None
    return tuple(_passed(tree, name)) if tree is not None else ()


def _passed(tree: ast.Module, name: str) -> Iterator[str | None]:
    for node in every_node(tree):
        if isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] == name:
            yield from (keyword.arg for keyword in node.keywords)
