"""Rename in upstream what a plugin asks of it, and say which lines of the plugin are not told.

usage: python benchmarks/renamed_upstream.py PAIR [--commit C] [--show N] [--receiver TEXT]... [--build DIR]

PAIR is a row of ``ecosystem.tsv`` or ``fresh-pairs.tsv``; only its plugin and its older release are used.
Every attribute, method and parameter of upstream that the plugin asks for by name is renamed in all of
upstream, and ``check`` goes from the one to the other: each line that asks is broken, if the object is
upstream's. Names that the plugin, Python's own types, tensors or modules of torch have as well are left
out, as are those of modules, classes and functions of a module. Nobody has to label anything; whether an
object is upstream's is for the reader to say. So what is not told is listed by the expression that is
asked, most first: one cause is one line. ``--receiver`` lists each place of these expressions.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

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

_SHORTEST = 4
_NEW = "_renamed"


def asked_in(plugin: Path, packages: Iterable[str]) -> Iterator[Asked]:
    """Yield the names that a plugin's files ask for, without tests and code that a version decides."""
    files = files_of(plugin)
    own = {file.module.partition(".")[0] for file in files}
    for file in files:
        tree = ast.parse(file.text)
        foreign = {name for name, root in imported(tree).items() if root not in {*packages, *own, ""}}
        gated = {id(inner) for node in ast.walk(tree) if asks_version(node) for inner in ast.walk(node)}
        for node in ast.walk(tree):
            if (
                not isinstance(node, ast.Attribute | ast.Call)
                or first_name(node) in foreign
                or id(node) in gated
            ):
                continue
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield Asked("attribute", node.attr, file.path, node.lineno, ast.unparse(node.value))
            elif isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                for each in node.keywords:
                    if each.arg is not None:
                        yield Asked("keyword", each.arg, file.path, node.lineno, called)


def members(tree: ast.Module) -> set[str]:
    """The methods, fields and attributes that the classes of a module define."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found |= {n.name for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
            found |= {
                n.target.id
                for n in node.body
                if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
            }
            found |= {
                t.id
                for n in node.body
                if isinstance(n, ast.Assign)
                for t in n.targets
                if isinstance(t, ast.Name)
            }
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


def parameters(tree: ast.Module) -> set[str]:
    """The parameters of the functions of a module."""
    return {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def spoken(tree: ast.Module) -> set[str]:
    """The names of what a module defines or imports as a whole."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
    for each in ast.walk(tree):
        if isinstance(each, ast.Import | ast.ImportFrom):
            found |= {part for alias in each.names for part in alias.name.split(".")}
            found |= set((getattr(each, "module", None) or "").split("."))
    return found


def renamed_names(asked: Iterable[Asked], plugin: Path, upstream: Path) -> dict[str, set[str]]:
    """The names to rename, by what they are asked as."""
    own: set[str] = set()
    for _, tree in trees(plugin):
        own |= members(tree) | parameters(tree) | spoken(tree)
    defined: dict[str, set[str]] = {"attribute": set(), "keyword": set()}
    left = own | set(dir(builtins)) | set(keyword.kwlist) | names_of_others()
    for file, tree in trees(upstream):
        defined["attribute"] |= members(tree)
        defined["keyword"] |= parameters(tree)
        left |= spoken(tree) | set(file.removesuffix(".py").split("/"))
    by_kind: dict[str, set[str]] = defaultdict(set)
    for each in asked:
        if each.name in defined[each.kind] - left and len(each.name) >= _SHORTEST:
            by_kind[each.kind].add(each.name)
    return by_kind


def with_new_names(names: Iterable[str], text: str) -> str:
    """A text with each of these names changed, wherever it stands."""
    return re.sub(rf"\b({'|'.join(sorted(names))})\b", rf"\1{_NEW}", text)


def renaming(plugin: Path, upstream: Path, packages: Sequence[str]) -> Change:
    """Return the names to rename, and the places where the plugin asks for them."""
    asked = tuple(asked_in(plugin, packages))
    names = renamed_names(asked, plugin, upstream)
    renamed = frozenset().union(*names.values())
    # A call of what is renamed is told by that name.
    wanted = (a for a in asked if a.name in names[a.kind] and not (a.kind == "keyword" and a.last in renamed))
    return Change(tuple(wanted), renamed, partial(with_new_names, renamed))


if __name__ == "__main__":
    sys.exit(compared(__doc__, renaming))
