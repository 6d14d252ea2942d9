"""Modules of the backend that nothing imports. What other programs load of a project by its entry points is
imported by these names or by what they import; a module that no import, text or script leads to does not
run."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from syncbot.api.every_node import every_node
from syncbot.api.remembered_answers import remembered
from syncbot.api.statement_parts import absolute, imported
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.unreached.unnamed_code import SEARCHES

#: So many importers of importers are followed.
_STEPS = 3
#: What loads files as modules.
_LOADING = ("spec_from_file_location(", "SourceFileLoader(", "run_path(", "exec(")
_IMPORTING = ("import_module", "__import__", "find_spec", "run_module")
_GOES_ON = re.compile(r"\.\w*$|\.\w+\.")
_SCRIPT = re.compile(rb"^if[ \t]+__name__[ \t]*==", re.MULTILINE)


def is_unimported(module: str, pair: Comparison) -> bool:
    """Whether nothing that runs imports a module of the backend. Always false of packages and tests, where no
    entry points are known, and where modules are found otherwise than by names that are written out."""
    if not pair.loaded or module in pair.tests:
        return False
    tree = pair.own_tree
    shipped = [m for m in tree.modules if m not in pair.tests]
    if tree.mentioning(shipped, *SEARCHES, *_LOADING):
        return False
    importing = tree.mentioning(shipped, *_IMPORTING)
    if any(_puts_together(tree.source(m) or b"", tree.packages) for m in importing):
        return False
    return _is_left(module, pair, _STEPS)


@remembered(2048)
def _puts_together(source: bytes, packages: Sequence[str]) -> bool:
    """Whether a text in a module may be put together to the name of a module of these packages."""
    tree = parsed(source)
    for node in every_node(tree) if tree is not None else ():
        match node:
            case ast.JoinedStr(values=[ast.Constant(value=str(first)), *_]):
                begins = first
            case ast.JoinedStr(values=[_, *rest]):
                begins = "." if any(_continues(part) for part in rest) else ""
            case ast.BinOp(op=ast.Add(), left=ast.Constant(value=str(first))):
                begins = first
            case ast.BinOp(op=ast.Add(), right=right):
                begins = "." if _continues(right) else ""
            case ast.Constant(value=str(text)) if "{" in text or "%s" in text:
                begins = text
            case _:
                continue
        if begins.startswith(".") or begins.partition(".")[0] in packages:
            return True
    return tree is None


def _continues(part: ast.expr) -> bool:
    """Whether a part of a text goes on with a dotted name."""
    return isinstance(part, ast.Constant) and isinstance(part.value, str) and bool(_GOES_ON.match(part.value))


def _is_left(module: str, pair: Comparison, steps: int) -> bool:
    tree, last = pair.own_tree, module.rpartition(".")[2]
    entry = tree.modules.get(module)
    if not steps or entry is None or last == module or entry[0].endswith(("__init__.py", "__main__.py")):
        return False
    if any(f"{target}.".startswith(f"{module}.") for target in pair.loaded):
        return False
    if _SCRIPT.search(tree.source(module) or b"") or pair.new_tree.mentioning(pair.new_tree.modules, module):
        return False
    if _has_for_settings(module, pair):
        return False
    for other in tree.mentioning(tree.modules, last):
        if other == module:
            continue
        if _spells(tree.source(other) or b"", last):
            return False
        imports = _imports(other, module, tree)
        if imports and (other in pair.tests or not _is_left(other, pair, steps - 1)):
            return False
    return True


def _has_for_settings(module: str, pair: Comparison) -> bool:
    """Whether a module defines a class that derives from upstream's: users name such in their settings."""
    table = pair.own_tree.table(module)
    own = (pair.new.local(module, class_.name) for class_ in (table.classes if table is not None else ()))
    above = (base for class_ in own if class_ is not None for base in pair.new.lineage(class_).classes[1:])
    return any(pair.new.tree_of(base.module) is not pair.own_tree for base in above)


def _imports(other: str, module: str, tree: ModuleTree) -> bool:
    """Whether an import in another module, wherever it stands, leads to one."""
    package = other if tree.is_package(other) else other.rpartition(".")[0]
    return _leads(tree.source(other) or b"", package, module)


@remembered(2048)
def _leads(source: bytes, package: str, module: str) -> bool:
    tree = parsed(source)
    for node in every_node(tree) if tree is not None else ():
        for bound in imported(node, "") if isinstance(node, ast.Import | ast.ImportFrom) else ():
            base = absolute(package, bound.level, bound.module)
            names = (base,) if bound.name is None else (base, f"{base}.{bound.name}")
            if any(f"{name}.".startswith(f"{module}.") for name in names):
                return True
    return tree is None


@remembered(2048)
def _spells(source: bytes, name: str) -> bool:
    """Whether a text in a module has a word, other than what it says of itself."""
    tree, word = parsed(source), re.compile(rf"\b{re.escape(name)}\b")
    if tree is None:
        return True
    said = {id(n.value) for n in every_node(tree) if isinstance(n, ast.Expr)}
    return any(
        isinstance(n, ast.Constant)
        and isinstance(n.value, str)
        and id(n) not in said
        and word.search(n.value)
        for n in every_node(tree)
    )
