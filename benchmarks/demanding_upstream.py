"""Let upstream's functions ask for one thing more, and say which lines of a plugin are not told.

usage: python benchmarks/demanding_upstream.py PAIR [--commit C] [--show N] [--receiver TEXT]... [--build DIR]

PAIR is a row of ``ecosystem.tsv`` or ``fresh-pairs.tsv``; only its plugin and its older release are used.
Every function and method of upstream that the plugin calls, or has a method of that name for, requires one
more parameter, which all of upstream's calls of that name pass: each method of the plugin that upstream
calls, and each call of upstream's, is broken. Names that Python's own types, tensors or modules of torch have
as well are left out, and calls of what the plugin defines itself. Nobody has to label anything; whether an
object is upstream's, and whether upstream reaches a method, is for the reader to say. So what is not told is
listed by the expression that is asked, or the class that has the method, most first.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import libcst as cst
from changed_upstream import (
    Asked,
    Change,
    asks_version,
    compared,
    files_of,
    first_name,
    imported,
    names_of_others,
    trees,
)

_NEW = "newly_required"
# Decorators of what is not called as it is written.
_OTHERWISE = frozenset({"property", "cached_property", "setter", "overload", "lazy_property"})
Method = tuple[ast.ClassDef | None, ast.FunctionDef | ast.AsyncFunctionDef]


def functions(tree: ast.Module) -> Iterator[Method]:
    """The functions at the top of a module and the methods of its classes, each with its class."""
    for owner in ast.walk(tree):
        waiting = list(owner.body) if isinstance(owner, ast.Module | ast.ClassDef) else []
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield owner if isinstance(owner, ast.ClassDef) else None, node
            elif isinstance(node, ast.If | ast.Try):
                waiting += [*node.body, *node.orelse]
                waiting += [s for h in getattr(node, "handlers", ()) for s in h.body]


def is_called_otherwise(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator makes something else of a function."""
    written = {ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in node.decorator_list}
    return not written.isdisjoint(_OTHERWISE)


def asked_in(plugin: Path, upstream: Path, packages: Sequence[str]) -> Iterator[Asked]:
    """The methods of a plugin that upstream may call, and its calls of what may be upstream's."""
    called, theirs = _of_upstream(upstream, packages)
    left = names_of_others() | set(dir(builtins))
    files = [(file.path, ast.parse(file.text)) for file in files_of(plugin)]
    roots = {*packages, "", *(path.partition("/")[0] for path, _ in files)}
    own = {function.name for _, tree in files for _, function in functions(tree)}
    for path, tree in files:
        for class_, function in functions(tree):
            known = function.name in called & theirs - left and not function.name.startswith("__")
            if class_ is not None and class_.bases and known and not _takes_it(function):
                bases = ", ".join(map(ast.unparse, class_.bases))
                yield Asked("method", function.name, path, function.lineno, f"{class_.name}({bases})")
        foreign = {name for name, root in imported(tree).items() if root not in roots}
        gated = {id(inner) for node in ast.walk(tree) if asks_version(node) for inner in ast.walk(node)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or id(node) in gated or first_name(node) in foreign:
                continue
            name, receiver = _callee(node.func)
            if name in theirs - own - left and all(k.arg is not None for k in node.keywords):
                yield Asked("call", name, path, node.lineno, receiver)


def _of_upstream(upstream: Path, packages: Sequence[str]) -> tuple[set[str], set[str]]:
    """The names that upstream calls, and those of its functions and methods."""
    called, defined = set(), set()
    for package in packages:
        for _, tree in trees(upstream / package):
            calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
            called |= {_callee(call.func)[0] for call in calls if isinstance(call.func, ast.Attribute)}
            defined |= {node.name for _, node in functions(tree) if not is_called_otherwise(node)}
    return called, defined


def _takes_it(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return node.args.kwarg is not None or is_called_otherwise(node)


def _callee(func: ast.expr) -> tuple[str, str]:
    """The name that is called, and the expression that it is asked of."""
    match func:
        case ast.Name(id=name):
            return name, name
        case ast.Attribute(value=value, attr=name):
            return name, ast.unparse(value)
    return "", ""


class _Demanding(cst.CSTTransformer):
    """Gives functions of these names one more parameter, and all calls of such names an argument for it."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__()
        self.names = names

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        """The function with the parameter."""
        code = cst.Module([]).code_for_node
        written = (code(d.decorator).partition("(")[0].rpartition(".")[2] for d in updated_node.decorators)
        if updated_node.name.value not in self.names or not _OTHERWISE.isdisjoint(written):
            return updated_node
        given = updated_node.params
        more = [cst.Param(name=cst.Name(_NEW)), *given.kwonly_params]
        return updated_node.with_changes(params=given.with_changes(kwonly_params=more))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """The call with the argument."""
        func = updated_node.func
        last = func.attr if isinstance(func, cst.Attribute) else func
        alone = any(isinstance(argument.value, cst.GeneratorExp) for argument in updated_node.args)
        if alone or not isinstance(last, cst.Name) or last.value not in self.names:
            return updated_node
        bare = cst.SimpleWhitespace("")
        more = cst.Arg(cst.Name("None"), keyword=cst.Name(_NEW), equal=cst.AssignEqual(bare, bare))
        return updated_node.with_changes(args=[*updated_node.args, more])


def demanding(names: frozenset[str], text: str) -> str:
    """A module in which functions of these names require one more parameter, and calls pass it; the module as
    it is where that makes none."""
    if not re.search(rf"\b({'|'.join(sorted(names))})\b", text):
        return text
    try:
        changed = cst.parse_module(text).visit(_Demanding(names)).code
        ast.parse(changed)
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError):
        return text
    return changed


def one_more(plugin: Path, upstream: Path, packages: Iterable[str]) -> Change:
    """Which functions ask for more, and where the plugin meets them."""
    asked = tuple(asked_in(plugin, upstream, tuple(packages)))
    names = frozenset(each.name for each in asked)
    return Change(asked, names, partial(demanding, names))


if __name__ == "__main__":
    sys.exit(compared(__doc__, one_more))
